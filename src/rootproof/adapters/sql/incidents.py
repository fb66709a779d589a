"""Incidents in SQL.

A delivery is one transaction. Its first statement on a group inserts the incident or touches the one that is there,
which locks the row on every database: deliveries of one group come one after the other, those of different groups do
not wait for each other. Groups are taken in the order of their hash, so that two deliveries cannot block each other.
Workers that claim runs take turns on one row of `webhook_delivery`, so that budget and cap hold across machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import CursorResult, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from rootproof.adapters.sql import incident_rows, statements
from rootproof.adapters.sql.database import Database, DuplicateKey
from rootproof.adapters.sql.service_schema import incident, incident_alert, webhook_delivery
from rootproof.adapters.sql.stored_text import utc
from rootproof.domain.alert import AlertStatus
from rootproof.domain.incident import (
    AlertGroup,
    Claim,
    Delivery,
    Incident,
    IncidentAlert,
    IncidentCounts,
    IncidentStatus,
    IntakePolicy,
    Taken,
    TakenGroup,
    check_delivery,
    incident_run_id,
)
from rootproof.domain.storable import ID_LENGTH, OWNER_LENGTH, is_storable_id
from rootproof.intake.lifecycle import STARTING, Kept, absorb, opened_by, postponed, resolved_by_hand

_DELIVERY = webhook_delivery.c
_LEASE = timedelta(seconds=30)
_DAY = timedelta(days=1)
_TURN = {"owner": "", "delivery_key": "claim-due-runs", "incident_id": None}
"""No delivery has an empty owner."""
_SEEN = select(_DELIVERY.incident_id)


class SqlIncidentStore:
    """The IncidentStore over a `Database`, in the same database as the runs."""

    def __init__(self, database: Database) -> None:
        self._database = database
        dialect = database.dialect
        self._open = statements.upsert(dialect, incident, ("owner", "group_hash"), ("last_alert_at",))
        self._write_alert = statements.upsert(
            dialect, incident_alert, ("incident_id", "fingerprint"), ("status", "alert", "count", "last_at")
        )
        self._take_turn = statements.upsert(dialect, webhook_delivery, ("owner", "delivery_key"), ("received_at",))

    async def take(self, delivery: Delivery, policy: IntakePolicy) -> Taken:
        """What became of the delivery, in one transaction. A delivery whose key was seen changes nothing."""
        check_delivery(delivery)

        async def work(connection: AsyncConnection) -> Taken:
            if delivery.key is not None:
                await connection.execute(insert(webhook_delivery), _delivery_values(delivery, None))
            taken: dict[str, TakenGroup] = {}
            ignored = 0
            for group in sorted(delivery.groups, key=lambda item: item.group_hash):
                found = await self._take_group(connection, delivery, group, policy)
                if found is None:
                    ignored += len(group.alerts)
                else:
                    taken[group.group_hash] = found
            in_order = tuple(taken[group.group_hash] for group in delivery.groups if group.group_hash in taken)
            if delivery.key is not None and in_order:
                named = webhook_delivery.update().where(
                    _DELIVERY.owner == delivery.owner, _DELIVERY.delivery_key == delivery.key
                )
                await connection.execute(named.values(incident_id=in_order[0].incident.incident_id))
            return Taken(in_order, ignored)

        try:
            return await self._database.write("take a delivery of alerts", work)
        except DuplicateKey:
            return Taken(repeat=True, incident_id=await self._incident_of(delivery))

    async def _take_group(
        self, connection: AsyncConnection, delivery: Delivery, group: AlertGroup, policy: IntakePolicy
    ) -> TakenGroup | None:
        """The incident after the group; None for the end of something of which nothing is known."""
        key = {"of_owner": delivery.owner, "hash": group.group_hash}
        now = delivery.received_at
        # SQLite's transaction is alone in the whole database: there the incident is inserted only where it is missing.
        alone = self._database.dialect == "sqlite"
        row = (await connection.execute(incident_rows.LOCK_GROUP, key)).mappings().one_or_none() if alone else None
        if row is None and group.fires:
            opened = opened_by(group, owner=delivery.owner, now=now)
            await connection.execute(self._open, incident_rows.new_values(opened, group))
        if row is None:
            row = (await connection.execute(incident_rows.LOCK_GROUP, key)).mappings().one_or_none()
        if row is None:
            return None
        stored = incident_rows.incident_from_row(row)
        of_incident = {"of_incident": stored.incident_id}
        kept = await _kept(connection, stored.incident_id, group)
        found = absorb(stored, kept, group, incident_rows.last_run(row), policy, now)
        if found.written:
            await connection.execute(self._write_alert, [incident_rows.alert_values(item) for item in found.written])
        await connection.execute(incident_rows.UPDATE, incident_rows.state_values(found.incident) | of_incident)
        return TakenGroup(found.incident, found.effect)

    async def claim_due(self, policy: IntakePolicy, *, now: datetime, limit: int = 20) -> Sequence[Claim]:
        """Incidents whose run the caller must create now; the others get a reason why they wait."""
        moment = utc(now, "claim_due.now")
        due = {"now": moment, "most": 100}

        async def look(connection: AsyncConnection) -> bool:
            return (await connection.execute(incident_rows.DUE_IDS, due)).first() is not None

        async def work(connection: AsyncConnection) -> Sequence[Claim]:
            await connection.execute(self._take_turn, _TURN | {"received_at": moment})
            room = await self._room(connection, policy, moment)
            ids = list((await connection.execute(incident_rows.DUE_IDS, due)).scalars())
            claims: list[Claim] = []
            waiting: list[str] = []
            for incident_id in ids:
                free = len(claims) < min(room[0], limit)
                claim = await self._claim(connection, incident_id, policy, moment, free=free)
                if isinstance(claim, Claim):
                    claims.append(claim)
                elif claim:
                    waiting.append(incident_id)
            if waiting:
                await connection.execute(incident_rows.WAIT, {"ids": waiting, "why": room[1]})
            return tuple(claims)

        if not await self._database.read("look for due runs", look):
            return ()
        return await self._database.write("claim due runs", work)

    async def _claim(
        self, connection: AsyncConnection, incident_id: str, policy: IntakePolicy, now: datetime, *, free: bool
    ) -> Claim | bool:
        """The claim; True when the incident must wait for a place, False when it is not due after all."""
        row = (await connection.execute(incident_rows.LOCK_BY_ID, {"of_incident": incident_id})).mappings().one()
        stored = incident_rows.incident_from_row(row)
        if stored.next_run_at is None or stored.next_run_at > now:
            return False
        last = incident_rows.last_run(row)
        starting = stored.status_reason == STARTING
        if starting and last is not None and last.exists:  # whoever made the run died before it could say so
            await self._save(connection, replace(stored, next_run_at=None, status_reason=None))
            return False
        again = starting and stored.run_id is not None
        if not again and (later := postponed(stored, last, policy, now)) is not None:
            await self._save(connection, replace(stored, next_run_at=later[0], status_reason=later[1]))
            return False
        if not free and not again:
            return True
        number = stored.run_count if again else stored.run_count + 1
        run_id = incident_run_id(incident_id, number)
        claimed = replace(stored, run_id=run_id, run_count=number, next_run_at=now + _LEASE, status_reason=STARTING)
        await self._save(connection, claimed)
        return Claim(claimed, run_id, now + _LEASE)

    async def _room(self, connection: AsyncConnection, policy: IntakePolicy, now: datetime) -> tuple[int, str]:
        """How many runs may begin, and why not more."""
        starting = await _count(connection, incident_rows.COUNT_STARTING, now=now)
        open_ = await _count(connection, incident_rows.COUNT_OPEN) + starting
        today = await _count(connection, incident_rows.COUNT_SINCE, since=now - _DAY) + starting
        left_today, left_open = policy.daily_runs - today, policy.max_open_runs - open_
        if left_today <= left_open:
            return max(0, left_today), f"the daily budget of {policy.daily_runs} runs is spent"
        return max(0, left_open), f"{policy.max_open_runs} runs of alerts are open, as many as are allowed"

    async def started(self, claim: Claim) -> None:
        """Note that the claim's run exists; nothing when the incident has moved on."""
        values = {
            "of_incident": claim.incident.incident_id,
            "of_run": claim.run_id,
            "leased": utc(claim.lease_until, "claim.lease_until"),
        }

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(incident_rows.STARTED, values)

        await self._database.write("note that a due run exists", work)

    async def find(self, incident_id: str, *, owner: str) -> Incident | None:
        """The incident; None when there is none or it is another owner's."""
        if not is_storable_id(incident_id, ID_LENGTH):
            return None

        async def work(connection: AsyncConnection) -> Incident | None:
            row = (await connection.execute(incident_rows.BY_ID, {"of_incident": incident_id})).mappings().one_or_none()
            return None if row is None or row["owner"] != owner else incident_rows.incident_from_row(row)

        return await self._database.read("find an incident", work)

    async def incidents(
        self,
        owner: str,
        *,
        status: IncidentStatus | None = None,
        backlog: bool | None = None,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
    ) -> Sequence[Incident]:
        """Incidents by `last_alert_at DESC, id DESC`, from the one after `before`."""
        if limit < 1 or not is_storable_id(owner, OWNER_LENGTH):
            return ()

        async def work(connection: AsyncConnection) -> Sequence[Incident]:
            after = None if before is None else await _position(connection, before, owner)
            found = incident_rows.newest(owner, status, backlog=backlog, limit=limit, after=after)
            rows = (await connection.execute(found)).mappings().all()
            return tuple(incident_rows.incident_from_row(row) for row in rows)

        return await self._database.read("list incidents", work)

    async def alerts(self, incident_id: str) -> Sequence[IncidentAlert]:
        """Its alerts in the order of arrival."""
        if not is_storable_id(incident_id, ID_LENGTH):
            return ()

        async def work(connection: AsyncConnection) -> Sequence[IncidentAlert]:
            rows = (await connection.execute(incident_rows.ALERTS, {"of_incident": incident_id})).mappings().all()
            return tuple(incident_rows.alert_from_row(row) for row in rows)

        return await self._database.read("read the alerts of an incident", work)

    async def resolve(self, incident_id: str, *, owner: str, now: datetime) -> Incident | None:
        """The incident, resolved by hand with all its alerts; None when there is none or it is another owner's."""
        if not is_storable_id(incident_id, ID_LENGTH):
            return None
        key = {"of_incident": incident_id}

        async def work(connection: AsyncConnection) -> Incident | None:
            row = (await connection.execute(incident_rows.LOCK_BY_ID, key)).mappings().one_or_none()
            if row is None or row["owner"] != owner:
                return None
            stored = incident_rows.incident_from_row(row)
            if stored.status is IncidentStatus.RESOLVED:
                return stored
            closed = resolved_by_hand(stored, incident_rows.last_run(row), now.astimezone(UTC))
            await connection.execute(incident_rows.RESOLVE_ALERTS, key)
            await self._save(connection, closed)
            return closed

        return await self._database.write("resolve an incident", work)

    async def counts(self) -> IncidentCounts:
        """The backlog in numbers, over all owners."""

        async def work(connection: AsyncConnection) -> IncidentCounts:
            return IncidentCounts(
                open=await _count(connection, incident_rows.COUNT_INCIDENTS),
                due=await _count(connection, incident_rows.COUNT_DUE),
                waiting=await _count(connection, incident_rows.COUNT_WAITING),
            )

        return await self._database.read("count incidents", work)

    async def forget_deliveries(self, *, before: datetime) -> int:
        """Forget keys of deliveries that arrived before; how many they were."""
        old = delete(webhook_delivery).where(
            _DELIVERY.received_at < utc(before, "forget_deliveries.before"), _DELIVERY.owner != ""
        )

        async def work(connection: AsyncConnection) -> int:
            result: CursorResult[Any] = await connection.execute(old)
            return result.rowcount

        return await self._database.write("forget old deliveries", work)

    async def _incident_of(self, delivery: Delivery) -> str | None:
        async def work(connection: AsyncConnection) -> str | None:
            seen = _SEEN.where(_DELIVERY.owner == delivery.owner, _DELIVERY.delivery_key == delivery.key)
            found: str | None = await connection.scalar(seen)
            return found

        return await self._database.read("find a delivery", work)

    @staticmethod
    async def _save(connection: AsyncConnection, changed: Incident) -> None:
        values = incident_rows.state_values(changed) | {"of_incident": changed.incident_id}
        await connection.execute(incident_rows.UPDATE, values)


async def _kept(connection: AsyncConnection, incident_id: str, group: AlertGroup) -> Kept:
    """What is kept of the incident's alerts, after resolved ones made room for those that are new."""
    key = {"of_incident": incident_id, "named": list(group.states)}
    rows = (await connection.execute(incident_rows.KNOWN, key)).mappings().all()
    if group.fires and len(rows) == len(group.states):
        # A repeat of what is kept: nothing needs room, and the incident is open whatever the others do.
        return Kept({row["fingerprint"]: incident_rows.known_from_row(row) for row in rows}, firing=0, total=len(rows))
    totals = {row[0]: int(row[1]) for row in (await connection.execute(incident_rows.TOTALS, key)).all()}
    kept = Kept(
        known={row["fingerprint"]: incident_rows.known_from_row(row) for row in rows},
        firing=totals.get(AlertStatus.FIRING.value, 0),
        total=sum(totals.values()),
    )
    if not (most := kept.missing_room(group)):
        return kept
    spare = list((await connection.execute(incident_rows.SPARE, key | {"most": most})).scalars())
    if spare:
        await connection.execute(incident_rows.EVICT, {"of_incident": incident_id, "evicted": spare})
    return replace(kept, total=kept.total - len(spare))


async def _count(connection: AsyncConnection, statement: Any, **values: Any) -> int:
    return int(await connection.scalar(statement, values) or 0)


async def _position(connection: AsyncConnection, seen: tuple[datetime, str], owner: str) -> tuple[datetime, int]:
    """Where the last one seen stood when it was seen: more alerts may have moved it since.

    Another owner's is like one that is gone.
    """
    at, incident_id = seen
    if is_storable_id(incident_id, ID_LENGTH):
        row = (
            await connection.execute(incident_rows.POSITION, {"of_incident": incident_id, "of_owner": owner})
        ).one_or_none()
        if row is not None:
            return utc(at, "incidents.before"), row.id
    return utc(at, "incidents.before"), 0


def _delivery_values(delivery: Delivery, incident_id: str | None) -> dict[str, Any]:
    return {
        "owner": delivery.owner,
        "delivery_key": delivery.key,
        "incident_id": incident_id,
        "received_at": utc(delivery.received_at, "webhook_delivery.received_at"),
    }
