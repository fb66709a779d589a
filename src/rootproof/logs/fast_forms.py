"""Lines of a block by their forms: each distinct form is looked at once, and polars does the rest by columns.

Making the digits of a block zero is one pass over its bytes; a block of 60,000 lines then holds a few thousand
distinct forms. See `fast_kinds` for what a kind is and `fast_stamps` for the times.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from rootproof.logs.fast_kinds import SLOW, Kind, kind_of
from rootproof.logs.fast_stamps import UNSURE, Layout, instant_of, layout_of, midnight
from rootproof.logs.lines import read_line
from rootproof.logs.masking import COARSE_PATTERN, MARK, MAX_MESSAGE_CHARS
from rootproof.logs.patterns_fast import ZEROS
from rootproof.logs.timestamps import Clock

if TYPE_CHECKING:
    import polars as pl

_DAY_CHARS = 16
"""So much of what stands before a clock tells the day; the words in it are those of the form."""
_MAX_KINDS = 100_000
_MAX_DAYS = 200_000
_HEAD = r"^((?:[^ \t]+[ \t]+){0,10}[^ \t]*)"
_HEX = r"\b[A-Fa-f0]*(?:[A-Fa-f]0|0[A-Fa-f])[A-Fa-f0]*\b"
_ODD = "[\x00\x02-\x08\x0a-\x1f]|^[\ufeff#]"
"""Lines that the parser must see, besides long ones."""
_COLONS = r"^(.{0,34}?00:00:00(?:[.,:]0{1,9})?.{0,13})"
_OTHER_CLOCKS = r"^(.{0,34}?(?:0{6} {1,2}0{6}|0{8}[T-]?0{6}|00\.00\.00)(?:[.,]0{1,9})?.{0,13})"
_HEAD_CHARS = 128
_TOP_CHARS = 64
"""So much of a line is looked at for its clock."""
_STREAMS = r"(?:^|\s)(?:stdout|stderr) [PF](?: |$)|\"stream\"\s*:\s*\""
SLOW_KIND = -1


@dataclass(slots=True)
class FormTable:
    """What is known of kinds, layouts and days; bounded, and shared by the blocks of a job."""

    kinds: list[Kind] = field(default_factory=list)
    _numbers: dict[tuple[str, str, bool, str], int] = field(default_factory=dict)
    _layouts: dict[str, int] = field(default_factory=dict)
    layouts: list[Layout] = field(default_factory=list)
    _stamps: dict[tuple[str, Layout], int] = field(default_factory=dict)
    _days: dict[tuple[int, str, str], int | None] = field(default_factory=dict)

    @property
    def full(self) -> bool:
        """Whether there are more places for a clock than are kept."""
        return len(self.layouts) >= _MAX_KINDS

    def begin_file(self) -> None:
        """Forget the days: those without a year depend on the file."""
        self._days.clear()

    def places(self) -> pl.DataFrame:
        """The parts of each layout by its number, `layout`."""
        import polars as pl

        names = [known.name for known in fields(Layout)]
        columns = {name: pl.Series([getattr(one, name) for one in self.layouts], dtype=pl.Int64) for name in names}
        return pl.DataFrame({"layout": pl.Series(range(len(self.layouts)), dtype=pl.Int32), **columns})

    def layout(self, head: str) -> int:
        """The number of the layout of lines whose forms begin with `head`, -1 for none."""
        number = self._layouts.get(head)
        if number is None:
            if len(self._layouts) >= _MAX_KINDS:
                self._layouts.clear()
            found = layout_of(head)
            number = -1
            if found is not None:
                number = self._stamps.setdefault((head[: found.end], found), len(self.layouts))
                if number == len(self.layouts):
                    self.layouts.append(found)
            self._layouts[head] = number
        return number

    def day(self, layout: int, day: str, zone: str, line: str, clock: Clock) -> int | None:
        """The midnight of a day text in lines of a layout, as `midnight` gives it for `line`."""
        key = (layout, day, zone)
        if key not in self._days:
            if len(self._days) >= _MAX_DAYS:
                self._days.clear()
            self._days[key] = midnight(line, self.layouts[layout], lambda text: read_line(text, clock)[0].instant)
        return self._days[key]

    def kind(self, key: tuple[str, str, bool, str], line: str, clock: Clock, micros: int | None, layout: int) -> int:
        """The number of the kind with that key, learned from `line` if it is new; -1 if the parser must see it."""
        number = self._numbers.get(key)
        if number is None:
            if len(self._numbers) >= _MAX_KINDS:
                return SLOW_KIND
            place = self.layouts[layout] if layout >= 0 else None
            kind = kind_of(line, clock, None if micros is None else instant_of(micros), place)
            number = len(self.kinds) if kind.fast else SLOW_KIND
            if kind.fast:
                self.kinds.append(kind)
            self._numbers[key] = number
        return number


@dataclass(frozen=True, slots=True)
class Forms:
    """The lines of a block and their forms."""

    lines: pl.Series
    """Without line ends."""
    rows: pl.DataFrame
    """`row`, `line`, `form` and `u` of each line that is not blank, in order."""
    traits: pl.DataFrame
    """What forms may have in common, each once: `u`, `coarse`, `head`, `odd`, `streams`, `span`, `layout`."""


def forms_of(data: bytes, table: FormTable) -> Forms | None:
    """The forms of a block; None where it holds the header of a table."""
    import polars as pl

    frame = pl.scan_lines(data, name="line").collect()
    frame = frame.hstack(pl.scan_lines(data.translate(ZEROS), name="form").collect())
    if b"\r" in data:
        frame = frame.with_columns(pl.col("line", "form").str.strip_chars_end("\r"))
    form, keys = pl.col("form"), ["coarse", "hexed", "top", "long"]
    long = form.str.len_chars() > MAX_MESSAGE_CHARS
    if MARK.encode() in data:  # the sign of a value in the coarse text must not come from the line
        long |= form.str.contains(MARK, literal=True)
    distinct = (
        frame.lazy()
        .select("form")
        .unique()
        .with_columns(
            form.str.head(MAX_MESSAGE_CHARS).str.replace_all(COARSE_PATTERN, MARK).alias("coarse"),
            form.str.head(_HEAD_CHARS).str.replace_all(_HEX, "h").alias("hexed"),
            form.str.head(_TOP_CHARS).alias("top"),
            long.alias("long"),
        )
        .collect(engine="streaming")
    )
    traits = distinct.select(keys).unique().filter(pl.col("coarse").str.contains(r"[^ \t]"))
    if traits["coarse"].str.contains("(?i)#fields").any():
        return None
    traits = _with_traits(traits, table)
    distinct = distinct.join(traits.select(*keys, "u"), on=keys).select("form", "u")
    rows = frame.with_row_index("row").join(distinct, on="form", maintain_order="left")
    return Forms(frame["line"], rows, traits.drop("hexed", "top", "long"))


def _with_traits(traits: pl.DataFrame, table: FormTable) -> pl.DataFrame:
    import polars as pl

    coarse, top = pl.col("coarse"), pl.col("top")
    words = pl.col("hexed").str.extract(_HEAD, 1).str.replace_all("0+", "0")
    traits = traits.with_columns(
        (coarse.str.contains(_ODD) | pl.col("long")).alias("odd"),
        pl.concat_str(top.str.head(1), words).alias("head"),
        coarse.str.contains(_STREAMS).alias("streams"),
        top.str.extract("^(<0{1,3}>)", 1).str.len_chars().fill_null(0).cast(pl.Int64).alias("span"),
        pl.coalesce(top.str.extract(_COLONS, 1), top.str.extract(_OTHER_CLOCKS, 1)).alias("stamp"),
    )
    stamps = traits["stamp"].unique().to_list()
    layouts = pl.DataFrame(
        {"stamp": stamps, "layout": [-1 if stamp is None else table.layout(stamp) for stamp in stamps]},
        schema={"stamp": pl.String, "layout": pl.Int32},
    )
    traits = traits.join(layouts, on="stamp", how="left", nulls_equal=True).drop("stamp").with_row_index("u")
    without_clock = pl.when(pl.col("layout") < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    return traits.with_columns(pl.concat_str(without_clock, "head").alias("head"))


def rows_of(forms: Forms, table: FormTable, clock: Clock) -> pl.DataFrame:
    """`row`, `kind` (-1: for the parser), `message`, `micros`, `streams` of each line that is not blank, in order."""
    import polars as pl

    needed = forms.traits.select("u", "odd", "streams", "span", "layout")
    rows = forms.rows.join(needed, on="u", maintain_order="left")
    rows = rows.join(_times(rows, table, clock), on="row", how="left", maintain_order="left")
    rows = _with_kinds(rows, forms.traits, table, clock)
    message = pl.col("line").str.slice(pl.col("start")).str.strip_chars_end()
    return rows.select("row", "kind", pl.when(pl.col("kind") >= 0).then(message).alias("message"), "micros", "streams")


def _times(rows: pl.DataFrame, table: FormTable, clock: Clock) -> pl.DataFrame:
    """`row` and `micros` of the lines with a time by a clock; `unsure` where the parser must say it.

    Neighbouring lines share their second: each distinct one is read once.
    """
    import polars as pl

    line, at = pl.col("line"), pl.col("clock")
    digits = pl.min_horizontal("fraction_chars", pl.lit(6, dtype=pl.Int64))
    before = pl.min_horizontal(at, pl.lit(_DAY_CHARS, dtype=pl.Int64))
    fraction = line.str.slice(pl.col("fraction"), digits).cast(pl.Int64, strict=False)
    keys = ["layout", "moment", "behind"]
    times = (
        rows.lazy()
        .select("row", "line", "layout")
        .join(table.places().lazy(), on="layout", how="inner")
        .select(
            "row",
            "line",
            "layout",
            line.str.slice(at - before, before + 6 + 2 * pl.col("step")).alias("moment"),
            line.str.slice(pl.col("zone"), pl.col("zone_chars")).alias("behind"),
            (fraction * pl.lit(10, dtype=pl.Int64).pow(6 - digits)).fill_null(0).alias("fraction"),
        )
        .collect()
    )
    seconds = _seconds(times.group_by(keys).agg(line.first()), table, clock).select(*keys, "second", "unsure")
    return times.join(seconds, on=keys).select("row", (pl.col("second") + pl.col("fraction")).alias("micros"), "unsure")


def _seconds(moments: pl.DataFrame, table: FormTable, clock: Clock) -> pl.DataFrame:
    """Those `moments` that are times, with `second`, the microseconds since 1970 at their second."""
    import polars as pl

    line, at, step = pl.col("line"), pl.col("clock"), pl.col("step")

    def number(start: pl.Expr, chars: pl.Expr | int) -> pl.Expr:
        return line.str.slice(start, chars).cast(pl.Int64, strict=False)

    h, m, s = number(at, 2), number(at + 2 + step, 2), number(at + 4 + 2 * step, 2)
    month, day = number(pl.col("month"), pl.col("month_chars")), number(pl.col("day"), pl.col("day_chars"))
    before = pl.min_horizontal(at, pl.lit(_DAY_CHARS, dtype=pl.Int64))
    moments = moments.join(table.places(), on="layout").filter(
        h < 24,
        m < 60,
        s <= 60,
        month.is_between(1, 12).fill_null(value=True),
        day.is_between(1, 31).fill_null(value=True),
    )
    moments = moments.with_columns(pl.col("moment").str.slice(0, before).alias("date"))
    keys = ["layout", "date", "behind"]
    days = moments.group_by(keys).agg(line.first())
    found = [
        table.day(number, date, behind, text, clock)
        for number, date, behind, text in days.select(*keys, "line").iter_rows()
    ]
    days = days.select(*keys, pl.Series("midnight", found, dtype=pl.Int64))
    unsure = (pl.col("midnight") == UNSURE) | (s == 60)
    second = pl.col("midnight") + (h * 3_600 + m * 60 + s) * 1_000_000
    return (
        moments.join(days, on=keys)
        .filter(pl.col("midnight").is_not_null())
        .with_columns(pl.when(~unsure).then(second).alias("second"), unsure.alias("unsure"))
    )


def _with_kinds(rows: pl.DataFrame, traits: pl.DataFrame, table: FormTable, clock: Clock) -> pl.DataFrame:
    """`rows` with `kind` and `start`, where the message begins."""
    import polars as pl

    keys = ["u", "timed", "value"] if (rows["span"] > 0).any() else ["u", "timed"]
    rows = rows.with_columns(
        pl.col("micros").is_not_null().alias("timed"),
        *[pl.col("line").str.slice(0, pl.col("span")).alias(name) for name in keys[2:]],
        (pl.col("odd") | pl.col("unsure").fill_null(value=False)).alias("odd"),
    )
    groups = rows.lazy().filter(~pl.col("odd")).group_by(keys).agg(pl.col("line").first(), pl.col("micros").first())
    kinds = groups.join(traits.lazy().select("u", "coarse", "head", "layout"), on="u").collect()
    value = pl.col("value") if len(keys) > 2 else pl.lit("").alias("value")
    numbers = [
        table.kind((coarse, head, timed, text), line, clock, micros, layout)
        for coarse, head, timed, text, line, micros, layout in kinds.select(
            "coarse", "head", "timed", value, "line", "micros", "layout"
        ).iter_rows()
    ]
    known = [table.kinds[number] if number >= 0 else SLOW for number in numbers]
    kinds = kinds.select(
        *keys,
        pl.Series("kind", numbers, dtype=pl.Int32),
        pl.Series("words", [kind.words for kind in known], dtype=pl.Int32),
        pl.Series("glued", [len(kind.glued) for kind in known], dtype=pl.Int64),
    )
    rows = rows.join(kinds, on=keys, how="left", maintain_order="left").with_columns(
        pl.when(pl.col("odd")).then(SLOW_KIND).otherwise(pl.col("kind")).alias("kind"),
    )
    counts = [count for count in rows["words"].unique().to_list() if count]
    starts = pl.coalesce(*(pl.when(pl.col("words") == count).then(_chars_of(count)) for count in counts), pl.lit(0))
    return rows.with_columns((starts + pl.col("glued")).alias("start"))


def _chars_of(words: object) -> pl.Expr:
    """How many characters the first words of a form take, with what follows each."""
    import polars as pl

    if not words:
        return pl.lit(0, dtype=pl.Int64)
    found = pl.col("form").str.extract(f"^((?:[^ \t]+[ \t]+){{{words}}})", 1)
    return found.str.len_chars().cast(pl.Int64).fill_null(0)
