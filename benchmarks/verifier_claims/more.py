# ruff: noqa: E501  (one claim a line: they are read as data)
"""More true claims about the runs of the other files, by run: each says in new words what an item holds."""

CLAIMS = {
    "replica-lag": [
        (
            "SYMPTOM",
            "While replica 1 kept up, ledger-db-replica-2 ended the window 1140 seconds behind its primary.",
            ["E1"],
        ),
        (
            "SYMPTOM",
            "The monitoring system has been alerting on LedgerReplicaBehind for replica lag since 11:26 UTC.",
            ["E6"],
        ),
        ("CAUSE", "Write load on ledger-db-primary is seven times what it was, after a jump at 11:21.", ["E4"]),
        ("IMPACT", "Users of statement-builder may have seen stale data: it hit 37 stale reads.", ["E3"]),
        ("SYMPTOM", "The purge works in batches of 50k rows.", ["E5"]),
    ],
    "oom": [
        (
            "CAUSE",
            "Since the limit was dropped to 64Mi, thumbnailer no longer has enough memory and gets killed with exit code 137.",
            ["E3", "E1"],
        ),
        ("SYMPTOM", "Restart count of the thumbnailer pod stands at 6.", ["E1"]),
        ("SYMPTOM", "thumbnailer's memory climbs steadily and tops out around 64 MiB.", ["E2"]),
        ("RULED_OUT", "The node has plenty of memory left, with 41% allocated.", ["E6"]),
        ("IMPACT", "Between 08:11 and 08:40, 118 thumbnail requests from upload-gateway failed.", ["E4"]),
    ],
    "pool": [
        (
            "CAUSE",
            "Every one of the 20 connections in fare-quotes' Hikari pool is in use while 85 threads queue for one.",
            ["E1"],
        ),
        (
            "SYMPTOM",
            "fares-pg is at its connection limit; it logged FATAL 12 times that only superuser slots remain.",
            ["E3"],
        ),
        ("RULED_OUT", "The database is not CPU bound: utilisation hovers around 24%.", ["E5"]),
        ("IMPACT", "Customers of booking-web wait around 30 s at the 99th percentile instead of 0.3 s.", ["E6"]),
        ("SYMPTOM", "The new version 2.31.0 of fare-quotes went live at 16:00:20.", ["E7"]),
    ],
    "dns": [
        ("CAUSE", "Cluster DNS is out: coredns has 0 of 2 replicas ready.", ["E2"]),
        ("SYMPTOM", "mail-relay's requests to the partner's SMTP host fail with no such host.", ["E1"]),
        ("IMPACT", "More than 4,700 messages are stuck in mail-relay's outbound queue.", ["E6"]),
        ("SYMPTOM", "The scheduler could not find a node for <pod:coredns-1> because all three lack CPU.", ["E3"]),
    ],
    "cert": [
        ("CAUSE", "Nobody renewed tariff-api-tls in time: cert-renewer could not find the issuer internal-ca.", ["E3"]),
        ("SYMPTOM", "A little over a third of edge-router's responses were 5xx at the peak (36 %).", ["E4"]),
        (
            "RULED_OUT",
            "tariff-api pods are fine, e.g. <pod:tariff-api-2> has been up since 11 March without restarts.",
            ["E5"],
        ),
        ("SYMPTOM", "The last handshake error was logged at 00:25:19.", ["E1"]),
    ],
    "queue": [
        (
            "CAUSE",
            "The geocoding provider throttles us with HTTP 429, and geocoder backs off for 60 s each time.",
            ["E4"],
        ),
        ("IMPACT", "Parcel tracking lags by about 184,000 events.", ["E1"]),
        ("RULED_OUT", "The producers are not to blame, as the message rate stayed around 210 per second.", ["E5"]),
        ("SYMPTOM", "ParcelLagHigh fires when the consumer lag goes above 50k.", ["E7"]),
    ],
    "disk": [
        (
            "CAUSE",
            "Old blocks were never deleted because the compaction at 04:05 aborted and retention was not applied.",
            ["E4"],
        ),
        ("IMPACT", "Metrics have been lost since about 05:53, when the ingest rate collapsed to zero.", ["E6"]),
        ("SYMPTOM", "The persistent volume is only 50Gi large.", ["E5"]),
    ],
    "badconfig": [
        (
            "CAUSE",
            "A renamed key broke loyalty: its config map now provides POINTS_DSN, whereas the service requires POINTS_DB_URL.",
            ["E4", "E2"],
        ),
        ("SYMPTOM", "loyalty has restarted eleven times and sits in CrashLoopBackOff.", ["E1"]),
        ("IMPACT", "All calls from checkout-ui to loyalty are refused, 342 up to 20:08.", ["E5"]),
    ],
    "cpu": [
        ("CAUSE", "pdf-render is limited to a quarter of a core and is throttled 88% of the time.", ["E1", "E2"]),
        ("RULED_OUT", "A memory problem is unlikely: RSS hardly changed.", ["E8"]),
        ("IMPACT", "Rendering a PDF now takes 14.6 s at p95, up from 1.9 s.", ["E3"]),
    ],
    "healthy": [
        (
            "RULED_OUT",
            "No lasting problem is visible: errors peaked at 3.8% for a moment and are back to 0.1%.",
            ["E2"],
        ),
        ("SYMPTOM", "The alert cleared at 09:36.", ["E3"]),
    ],
    "deadlock": [
        ("CAUSE", "reprice-job now runs every 5 minutes instead of once a night.", ["E4"]),
        ("SYMPTOM", "Lock waits average 1.6 s over the window.", ["E5"]),
    ],
    "netpol": [
        (
            "CAUSE",
            "A new network policy only admits traffic from inside the cache namespace, so ad-bidder's connections time out.",
            ["E2", "E1"],
        ),
        ("IMPACT", "ad-bidder went from more than five thousand bids per second to about three hundred.", ["E7"]),
    ],
    "failover": [
        ("SYMPTOM", "The write outage was short: the last read-only error came at 21:08:03.", ["E3"]),
        ("CAUSE", "The primary's node died: <node:9> has been NotReady since 21:07:05.", ["E5"]),
    ],
    "fd": [
        (
            "SYMPTOM",
            "The number of open descriptors has more than doubled, from 412 to the limit of 1024.",
            ["E2", "E3"],
        ),
        ("RULED_OUT", "Heap is not growing: it stayed near 230 MiB.", ["E6"]),
    ],
    "upstream": [
        ("CAUSE", "The thread pool http-in of fx-rates is saturated (200 of 200 busy).", ["E4"]),
        ("SYMPTOM", "fx-rates was healthy until 11:10, with a p99 of roughly 0.2 s.", ["E2"]),
    ],
}
