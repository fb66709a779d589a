# ruff: noqa: E501  (one evidence line or claim a line: they are read as data)
# fmt: off
"""Blind runs 1 of 5, by a writer who had not seen the verifier: measured on first contact, then added here."""

RUNS = [
    {
        "run": "lock-pileup",
        "evidence": [
            ("E1", "query_logs", "fare-db", "1 x LOG fare-db at 2026-02-03T09:14:31Z: process 20411 still waiting for AccessExclusiveLock on relation bookings after 1000.112 ms, blocked by process 20377"),
            ("E2", "query_logs", "fare-db", "214 x LOG fare-db between 2026-02-03T09:14:40Z and 2026-02-03T09:31:02Z: process <num> still waiting for RowExclusiveLock on relation bookings after <dur>, blocked by process 20411 (for example: process 20502 still waiting for RowExclusiveLock on relation bookings after 1000.087 ms, blocked by process 20411)"),
            ("E3", "query_logs", "fare-db", "1 x INFO fare-db at 2026-02-03T09:31:00Z: top SQL by load 38.4 AAS, 0.2 calls/s, waits Lock:relation=36.1, CPU=1.2, IO:DataFileRead=0.6: INSERT INTO bookings (ref, seat, paid_at) VALUES ($1, $2, $3)"),
            ("E4", "query_metrics", "fare-db", "DatabaseConnections of fare-db (Count, Average): first 61 at 2026-02-03T09:00:00Z, last 397 at 2026-02-03T09:31:00Z, min 58 at 2026-02-03T09:06:00Z, max 398 at 2026-02-03T09:29:00Z, mean 221, 32 points, rising, changed at 2026-02-03T09:16:00Z from about 60 to about 330"),
            ("E5", "query_metrics", "fare-db", "CPUUtilization of fare-db (Percent, Average): first 31.4 at 2026-02-03T09:00:00Z, last 12.8 at 2026-02-03T09:31:00Z, min 11.9 at 2026-02-03T09:27:00Z, max 33 at 2026-02-03T09:11:00Z, mean 21.3, 32 points, falling, changed at 2026-02-03T09:15:00Z from about 31.5 to about 13"),
            ("E6", "query_cluster", "object/fare-db", "change at 2026-02-03T09:14:29Z: migration: ALTER TABLE bookings ADD COLUMN seat_zone started as process 20411, by release-bot-7"),
            ("E7", "query_logs", "fare-db", "1 x LOG fare-db at 2026-02-03T09:30:58Z: process 20377 (reporting): duration: 2911042.5 ms  statement: SELECT * FROM bookings WHERE paid_at > $1"),
            ("E8", "query_logs", "booking-api", "1,640 x ERROR booking-api between 2026-02-03T09:16:12Z and 2026-02-03T09:31:03Z: POST /bookings <num>: could not get a connection from the pool in <dur> (for example: POST /bookings 503: could not get a connection from the pool in 30s)"),
            ("E9", "query_alerts", "booking-api", 'alert "BookingWritesFailing" is firing since 2026-02-03T09:19:00Z, severity critical, value 9.7e-01: more than 2 % of POST /bookings fail'),
            ("E10", "query_cluster", "app/booking-api", "app booking-api (namespace sales): 6 pods: 6 Running and Ready, 0 restarts, on nodes wk-a, wk-b, wk-c"),
            ("E11", "lookup_knowledge", None, "Lock pile-ups > Typical causes: an idle transaction left open by a human on the primary keeps its lock for hours", "GUIDANCE"),
            ("E12", "query_metrics", "fare-db", "FreeStorageSpace of fare-db (Bytes, Minimum): first 214748364800 at 2026-02-03T09:00:00Z, last 213674622976 at 2026-02-03T09:31:00Z, min 213674622976 at 2026-02-03T09:31:00Z, max 214748364800 at 2026-02-03T09:00:00Z, mean 214200000000, 32 points, flat"),
            ("E13", "query_metrics", "booking-api", "http_server_requests_per_second of booking-api: first 47 at 2026-02-03T09:00:00Z, last 48 at 2026-02-03T09:31:00Z, min 44 at 2026-02-03T09:08:00Z, max 51 at 2026-02-03T09:21:00Z, mean 47.3, 32 points, flat"),
            ("E14", "query_logs", "search-api", "9 x WARN search-api between 2026-02-03T09:20:01Z and 2026-02-03T09:30:44Z: GET /availability took <dur> (for example: GET /availability took 2.4s)"),
        ],
        "coverage": [("query_logs", "OK", 20110), ("query_metrics", "OK", 18), ("query_cluster", "OK", 31), ("query_alerts", "OK", 5)],
        "claims": [
            ("CAUSE", "A schema change on bookings, started at 09:14:29 as process 20411, got stuck behind a long-running report, and writers then piled up behind the schema change.", ["E6", "E1", "E7", "E2"]),
            ("CAUSE", "The migration was itself blocked by process 20377, a reporting SELECT that had been executing for more than 48 minutes by the time it was logged.", ["E1", "E7"]),
            ("SYMPTOM", "214 waits for a RowExclusiveLock on bookings were logged, with process 20411 as the blocker.", ["E2"]),
            ("SYMPTOM", "The number of connections to fare-db grew more than sixfold, from 61 to 397, over roughly half an hour.", ["E4"]),
            ("SYMPTOM", "Of the average load of 38.4 sessions on the INSERT, 36.1 were spent on relation locks, i.e. about 94 %.", ["E3"]),
            ("SYMPTOM", "Two seconds lie between the start of the migration and its first lock-wait message.", ["E6", "E1"]),
            ("IMPACT", "A total of 1,640 POST /bookings requests failed for want of a pooled connection.", ["E8"]),
            ("IMPACT", "BookingWritesFailing has been firing since 09:19; 97 % of the writes were failing.", ["E9"]),
            ("RULED_OUT", "CPU on fare-db isn't the bottleneck: it more than halved and never exceeded 33 %.", ["E5"]),
            ("RULED_OUT", "This was no load spike, since the request rate of booking-api did not change.", ["E13"]),
            ("RULED_OUT", "Not a single booking-api pod has restarted, and all six are ready.", ["E10"]),
            ("RULED_OUT", "Disk space can be dismissed, with just under 200 GiB still free at 09:31.", ["E12"]),
            ("SYMPTOM", "booking-api's pool ran dry 92 seconds after the first blocked writer had been logged.", ["E8", "E2"]),
            ("IMPACT", "search-api was affected as well, if only mildly: nine slow availability look-ups.", ["E14"]),
        ],
        "false": [
            ("CAUSE", "Process 20377 was blocked by the migration (process 20411).", ["E1"]),  # roles swapped
            ("CAUSE", "A human left an idle transaction open on the primary.", ["E11"]),  # from the runbook only; the blocker was a report
            ("SYMPTOM", "The 214 waiting writers were blocked by process 20377.", ["E2"]),  # blocked by 20411
            ("SYMPTOM", "CPU on fare-db climbed from 12.8 % to 31.4 %.", ["E5"]),  # it fell
            ("SYMPTOM", "The reporting query completed in 2.9 seconds.", ["E7"]),  # 2911 seconds
            ("IMPACT", "search-api failed 1,640 times to get a connection from the pool.", ["E8"]),  # booking-api
            ("SYMPTOM", "Pool exhaustion in booking-api preceded the first blocked write.", ["E8", "E2"]),  # it came 92 s later
            ("RULED_OUT", "The migration obtained its lock immediately.", ["E1"]),  # it was still waiting
            ("RULED_OUT", "booking-api is healthy.", ["E10"]),  # 97 % of its writes fail (E9, E8)
            ("SYMPTOM", "Most of the load on the INSERT was CPU time.", ["E3"]),  # lock waits
            ("CAUSE", "The migration dropped the column seat_zone.", ["E6"]),  # it adds it
            ("SYMPTOM", "DatabaseConnections peaked at 397 at 09:31.", ["E4"]),  # the max is 398 at 09:29
        ],
    },
    {
        "run": "tls-expiry",
        "evidence": [
            ("E1", "query_logs", "edge-proxy", "5,219 x ERROR edge-proxy between 2026-04-18T00:00:03Z and 2026-04-18T00:47:36Z: upstream parcel-api: TLS handshake failed: certificate has expired"),
            ("E2", "query_cluster", "secret/parcel-api-tls", "secret parcel-api-tls (namespace parcels): certificate for parcel-api.parcels.svc valid from 2026-01-18T00:00:00Z until 2026-04-18T00:00:00Z"),
            ("E3", "query_logs", "cert-renewer", "6 x ERROR cert-renewer between 2026-03-19T02:00:04Z and 2026-04-17T02:00:05Z: order for parcel-api.parcels.svc refused: account acme-88 is over its rate limit"),
            ("E4", "query_cluster", "secret/track-api-tls", "secret track-api-tls (namespace parcels): certificate for track-api.parcels.svc valid from 2026-04-03T00:00:00Z until 2026-07-02T00:00:00Z"),
            ("E5", "query_metrics", "edge-proxy", "upstream_success_ratio of edge-proxy (ratio) {upstream=parcel-api}: first 0.999 at 2026-04-17T23:40:00Z, last 0.004 at 2026-04-18T00:47:00Z, min 0.002 at 2026-04-18T00:12:00Z, max 1 at 2026-04-17T23:51:00Z, mean 0.3, 68 points, falling, changed at 2026-04-18T00:00:00Z from about 0.999 to about 0.004"),
            ("E6", "query_metrics", "edge-proxy", "upstream_success_ratio of edge-proxy (ratio) {upstream=track-api}: first 0.998 at 2026-04-17T23:40:00Z, last 0.999 at 2026-04-18T00:47:00Z, min 0.996 at 2026-04-18T00:21:00Z, max 1 at 2026-04-17T23:44:00Z, mean 0.9985, 68 points, flat"),
            ("E7", "query_cluster", "app/parcel-api", "app parcel-api (namespace parcels): 3 pods: 3 Running and Ready, 0 restarts, on nodes n-12, n-15"),
            ("E8", "query_alerts", "parcel-api", 'alert "UpstreamTlsErrors" is firing since 2026-04-18T00:03:00Z, severity critical, value 1.1e+02: more than 10 TLS handshakes a minute fail'),
            ("E9", "query_alerts", "parcel-api", 'alert "CertificateExpiresSoon" is pending since 2026-04-11T00:00:00Z, severity warning, service parcel-api: certificate expires in less than 7 days'),
            ("E10", "query_logs", "parcel-web", "388 x WARN parcel-web between 2026-04-18T00:00:09Z and 2026-04-18T00:47:31Z: label could not be printed: edge answered <num> (for example: label could not be printed: edge answered 502)"),
            ("E11", "query_metrics", "edge-proxy", "clock_offset_seconds of edge-proxy (seconds): first 0.002 at 2026-04-17T23:40:00Z, last 0.002 at 2026-04-18T00:47:00Z, min 0.001 at 2026-04-17T23:58:00Z, max 0.003 at 2026-04-18T00:30:00Z, mean 0.002, 68 points, flat"),
            ("E12", "query_cluster", "object/edge-proxy", "change at 2026-04-17T22:15:00Z: config: log level of edge-proxy changed from info to warn, by mette.holm@parcels.example"),
        ],
        "coverage": [("query_logs", "OK", 9120), ("query_metrics", "OK", 9), ("query_cluster", "OK", 14), ("query_alerts", "OK", 6)],
        "claims": [
            ("CAUSE", "The TLS certificate of parcel-api ran out at midnight UTC on 18 April, and edge-proxy's handshakes with it have been failing from that moment on.", ["E2", "E1"]),
            ("CAUSE", "Renewal had been attempted six times in the month before expiry and was turned down because the account was over its rate limit.", ["E3", "E2"]),
            ("SYMPTOM", "The first handshake failed three seconds after the validity had ended.", ["E1", "E2"]),
            ("SYMPTOM", "Success on the parcel-api upstream fell off a cliff at 00:00, from 99.9 % to well below 1 %.", ["E5"]),
            ("SYMPTOM", "The expired certificate had been issued for 90 days.", ["E2"]),
            ("SYMPTOM", "Handshakes failed at an average rate of more than a hundred per minute.", ["E1"]),
            ("IMPACT", "Printing a label failed 388 times in the three quarters of an hour or so after the expiry.", ["E10", "E2"]),
            ("RULED_OUT", "The certificate of track-api is not affected; it is good until 2 July.", ["E4"]),
            ("RULED_OUT", "The other upstream, track-api, never dropped below 99.6 %.", ["E6"]),
            ("RULED_OUT", "parcel-api itself is up: three out of three pods are ready and none has restarted.", ["E7"]),
            ("RULED_OUT", "Clock drift can be excluded, as the offset never exceeded 3 ms.", ["E11"]),
            ("SYMPTOM", "It took about three minutes for UpstreamTlsErrors to fire.", ["E8", "E1"]),
            ("SYMPTOM", "The expiry warning was raised a week ahead but is merely pending.", ["E9", "E2"]),
            ("RULED_OUT", "The log level change on edge-proxy predates the outage by an hour and three quarters.", ["E12", "E1"]),
        ],
        "false": [
            ("CAUSE", "The certificate of track-api expired at midnight.", ["E4"]),  # parcel-api's did
            ("CAUSE", "Mette Holm's log level change broke the TLS handshakes.", ["E12", "E1"]),  # the certificate had expired
            ("CAUSE", "The certificate of parcel-api is not valid yet.", ["E2"]),  # it has expired
            ("SYMPTOM", "The first handshake failed three minutes after the certificate had expired.", ["E1", "E2"]),  # three seconds
            ("SYMPTOM", "cert-renewer renewed the certificate six times.", ["E3"]),  # refused six times
            ("SYMPTOM", "The success ratio of track-api collapsed to 0.4 %.", ["E5"]),  # parcel-api's
            ("IMPACT", "Label printing recovered within ten minutes.", ["E10"]),  # last failure at 00:47:31
            ("RULED_OUT", "All upstreams of edge-proxy fail alike.", ["E5", "E6"]),  # track-api works
            ("SYMPTOM", "CertificateExpiresSoon had been firing for a week.", ["E9"]),  # pending
            ("SYMPTOM", "The certificate expired at 02:00 UTC.", ["E2"]),  # 00:00 UTC
            ("CAUSE", "parcel-api's pods crashed at midnight.", ["E1", "E7"]),  # 0 restarts
            ("CAUSE", "parcel-api refused the TCP connections of edge-proxy.", ["E1"]),  # the handshake failed on an expired certificate
        ],
    },
    {
        "run": "consumer-rebalance",
        "evidence": [
            ("E1", "query_metrics", "pricing-worker", "consumer_group_lag of pricing-worker {group=pricing, topic=quotes}: first 310 at 2026-05-06T13:00:00Z, last 942000 at 2026-05-06T14:10:00Z, min 205 at 2026-05-06T13:09:00Z, max 942000 at 2026-05-06T14:10:00Z, mean 380000, 71 points, rising, changed at 2026-05-06T13:22:00Z from about 300 to about 510000"),
            ("E2", "query_logs", "pricing-worker", "47 x WARN pricing-worker between 2026-05-06T13:21:40Z and 2026-05-06T14:09:12Z: consumer poll timeout has expired: the time between polls was longer than max.poll.interval.ms=300000, leaving group pricing"),
            ("E3", "query_logs", "kafka-broker-2", "49 x INFO kafka-broker-2 between 2026-05-06T13:21:41Z and 2026-05-06T14:09:15Z: group pricing: preparing to rebalance, reason: member <id> left (for example: group pricing: preparing to rebalance, reason: member pw-3 left)"),
            ("E4", "query_cluster", "object/pricing-worker", "change at 2026-05-06T13:14:05Z: config: max.poll.records of pricing-worker raised from 500 to 5000, by jon.berg@fares.example"),
            ("E5", "query_metrics", "kafka", "topic_messages_in_per_second of kafka {topic=quotes}: first 820 at 2026-05-06T13:00:00Z, last 835 at 2026-05-06T14:10:00Z, min 790 at 2026-05-06T13:33:00Z, max 861 at 2026-05-06T13:52:00Z, mean 826, 71 points, flat"),
            ("E6", "query_metrics", "pricing-worker", "messages_processed_per_second of pricing-worker: first 818 at 2026-05-06T13:00:00Z, last 96 at 2026-05-06T14:10:00Z, min 0 at 2026-05-06T13:47:00Z, max 851 at 2026-05-06T13:11:00Z, mean 340, 71 points, falling, changed at 2026-05-06T13:22:00Z from about 820 to about 110"),
            ("E7", "query_metrics", "pricing-worker", "batch_duration_seconds of pricing-worker (seconds) {quantile=0.99}: first 31 at 2026-05-06T13:00:00Z, last 338 at 2026-05-06T14:10:00Z, min 29 at 2026-05-06T13:05:00Z, max 342 at 2026-05-06T13:58:00Z, mean 258, 71 points, rising, changed at 2026-05-06T13:16:00Z from about 31 to about 335"),
            ("E8", "query_cluster", "app/kafka-broker", "app kafka-broker (namespace streaming): 3 pods: 3 Running and Ready, 0 restarts, on nodes st-1, st-2, st-3"),
            ("E9", "query_metrics", "kafka", "under_replicated_partitions of kafka: first 0 at 2026-05-06T13:00:00Z, last 0 at 2026-05-06T14:10:00Z, min 0 at 2026-05-06T13:00:00Z, max 0 at 2026-05-06T13:00:00Z, mean 0, 71 points, flat"),
            ("E10", "query_alerts", "pricing-worker", 'alert "ConsumerLagHigh" is firing since 2026-05-06T13:31:00Z, severity warning, value 2.1e+05: lag of group pricing above 100000'),
            ("E11", "query_logs", "fare-web", "2,204 x WARN fare-web between 2026-05-06T13:27:00Z and 2026-05-06T14:10:00Z: showing a price older than 5 minutes"),
            ("E12", "recall_cases", None, "past case: lag of group pricing grew because kafka-broker-1 ran out of disk", "MEMORY"),
            ("E13", "query_cluster", "app/pricing-worker", "app pricing-worker (namespace fares): 4 pods: 4 Running and Ready, 0 restarts, on nodes wk-3, wk-5"),
        ],
        "coverage": [("query_logs", "OK", 31877), ("query_metrics", "OK", 22), ("query_cluster", "OK", 40), ("query_alerts", "OK", 3)],
        "claims": [
            ("CAUSE", "Polls that are ten times larger (max.poll.records went from 500 to 5000) make a batch take longer than the five-minute poll interval, so consumers drop out of the group.", ["E4", "E7", "E2"]),
            ("CAUSE", "Processing stalled because the group was busy rebalancing: 49 rebalances within 48 minutes, each because a member had left.", ["E3", "E6"]),
            ("SYMPTOM", "The p99 batch time jumped from about half a minute to more than five and a half minutes at 13:16.", ["E7"]),
            ("SYMPTOM", "By 14:10 the lag stood at 942,000 messages and it was still rising.", ["E1"]),
            ("SYMPTOM", "The workers' throughput went down by about 88 %, from 818 to 96 messages per second.", ["E6"]),
            ("SYMPTOM", "At 13:47 nothing was being processed at all.", ["E6"]),
            ("RULED_OUT", "Producers are not to blame, as the inflow on quotes stayed between 790 and 861 messages per second.", ["E5"]),
            ("RULED_OUT", "At no point was a partition under-replicated.", ["E9"]),
            ("RULED_OUT", "None of the three brokers has restarted.", ["E8"]),
            ("RULED_OUT", "The workers weren't killed either; four pods run with zero restarts.", ["E13"]),
            ("SYMPTOM", "Batch times went first (13:16), lag followed at 13:22, and the alert came last, at 13:31.", ["E7", "E1", "E10"]),
            ("SYMPTOM", "A good seven and a half minutes passed between the config change and the first consumer leaving the group.", ["E4", "E2"]),
            ("IMPACT", "Outdated prices were shown by fare-web 2,204 times.", ["E11"]),
            ("SYMPTOM", "At the end, more than eight times as many messages came in as were processed.", ["E5", "E6"]),
        ],
        "false": [
            ("CAUSE", "A broker ran out of disk, which made the lag grow.", ["E12"]),  # past case only
            ("CAUSE", "max.poll.records had been lowered from 5000 to 500.", ["E4"]),  # raised
            ("CAUSE", "Producers sent twice as many messages as usual.", ["E5"]),  # flat
            ("SYMPTOM", "kafka-broker-2 left the group 47 times.", ["E2"]),  # pricing-worker
            ("SYMPTOM", "The p95 batch time reached 338 seconds.", ["E7"]),  # p99
            ("SYMPTOM", "The lag had started to grow before the config change.", ["E1", "E4"]),  # 13:22 after 13:14
            ("SYMPTOM", "The group's lag is shrinking.", ["E1"]),  # rising
            ("RULED_OUT", "pricing-worker keeps up with its input at 851 messages a second.", ["E6"]),  # the max before the incident; 96 now
            ("CAUSE", "The workers crashed 47 times.", ["E2"]),  # they left the group; 0 restarts
            ("SYMPTOM", "The poll interval is limited to 300,000 seconds.", ["E2"]),  # milliseconds
            ("IMPACT", "fare-web was unable to show any price.", ["E11"]),  # showed old prices
            ("SYMPTOM", "ConsumerLagHigh fired one minute after the config change.", ["E10", "E4"]),  # 17 minutes
        ],
    },
    {
        "run": "heap-import",
        "evidence": [
            ("E1", "query_metrics", "claims-engine", "gc_time_ratio of claims-engine (ratio): first 0.02 at 2026-06-09T07:30:00Z, last 0.71 at 2026-06-09T08:20:00Z, min 0.01 at 2026-06-09T07:36:00Z, max 0.78 at 2026-06-09T08:14:00Z, mean 0.36, 51 points, rising, changed at 2026-06-09T07:55:00Z from about 0.02 to about 0.7"),
            ("E2", "query_metrics", "claims-engine", "jvm_memory_used_bytes of claims-engine (bytes) {area=heap}: first 1288490189 at 2026-06-09T07:30:00Z, last 4252017623 at 2026-06-09T08:20:00Z, min 1181116006 at 2026-06-09T07:33:00Z, max 4284229878 at 2026-06-09T08:15:00Z, mean 2950000000, 51 points, rising, changed at 2026-06-09T07:50:00Z from about 1300000000 to about 4100000000"),
            ("E3", "query_cluster", "deployment/claims-engine", "deployment claims-engine (namespace insurance): 1/3 ready, container claims-engine memory limit 6Gi, CPU limit 2, args -Xmx4g"),
            ("E4", "query_logs", "claims-engine", "3 x ERROR claims-engine between 2026-06-09T08:09:44Z and 2026-06-09T08:18:20Z: java.lang.OutOfMemoryError: Java heap space"),
            ("E5", "query_cluster", "pod/claims-engine-5d7c8b9f44-kq2lm", "pod claims-engine-5d7c8b9f44-kq2lm (namespace insurance, app claims-engine): phase Running, 0/1 containers ready, 3 restarts, the last 1m40s ago, container claims-engine last terminated Error, exit code 3, on node ins-04"),
            ("E6", "query_logs", "claims-engine", "1 x INFO claims-engine at 2026-06-09T07:48:12Z: import of tariff file tariffs-2026H2.xml started, 1912 MB"),
            ("E7", "query_metrics", "claims-engine", "http_server_request_duration_seconds of claims-engine (seconds) {quantile=0.99}: first 0.42 at 2026-06-09T07:30:00Z, last 18.6 at 2026-06-09T08:20:00Z, min 0.39 at 2026-06-09T07:41:00Z, max 21.3 at 2026-06-09T08:15:00Z, mean 7.9, 51 points, rising, changed at 2026-06-09T07:56:00Z from about 0.42 to about 15.2"),
            ("E8", "query_metrics", "claims-engine", "http_server_request_duration_seconds of claims-engine (seconds) {quantile=0.5}: first 0.08 at 2026-06-09T07:30:00Z, last 0.31 at 2026-06-09T08:20:00Z, min 0.07 at 2026-06-09T07:38:00Z, max 0.36 at 2026-06-09T08:15:00Z, mean 0.19, 51 points, rising, changed at 2026-06-09T07:56:00Z from about 0.08 to about 0.3"),
            ("E9", "query_cluster", "node/ins-04", "node ins-04: is Ready, no pressure, allocatable 15.5 CPU, 61Gi memory"),
            ("E10", "query_logs", "broker-portal", "417 x ERROR broker-portal between 2026-06-09T07:57:31Z and 2026-06-09T08:20:05Z: claims-engine: read timed out after 10s"),
            ("E11", "query_metrics", "claims-engine", "container_memory_working_set_bytes of claims-engine (bytes): first 2040109466 at 2026-06-09T07:30:00Z, last 4939212390 at 2026-06-09T08:20:00Z, min 1932735283 at 2026-06-09T07:33:00Z, max 4960687227 at 2026-06-09T08:15:00Z, mean 3600000000, 51 points, rising, changed at 2026-06-09T07:50:00Z from about 2050000000 to about 4800000000"),
            ("E12", "query_metrics", "claims-db", "queries_per_second of claims-db: first 410 at 2026-06-09T07:30:00Z, last 120 at 2026-06-09T08:20:00Z, min 98 at 2026-06-09T08:14:00Z, max 431 at 2026-06-09T07:43:00Z, mean 268, 51 points, falling, changed at 2026-06-09T07:57:00Z from about 415 to about 130"),
            ("E13", "query_alerts", "claims-engine", 'alert "ClaimsEngineLatency" is firing since 2026-06-09T08:01:00Z, severity critical, value 1.6e+01: p99 above 5 s'),
            ("E14", "lookup_knowledge", "claims-engine", "claims-engine > Heap growth: known cause is a session cache without an upper bound", "GUIDANCE"),
        ],
        "coverage": [("query_logs", "OK", 7044), ("query_metrics", "OK", 33), ("query_cluster", "OK", 52), ("query_alerts", "OK", 4)],
        "claims": [
            ("CAUSE", "The import of a 1.9 GB tariff file, begun at 07:48:12, drove the heap of claims-engine to just below its 4 GiB ceiling.", ["E6", "E2", "E3"]),
            ("CAUSE", "With its heap nearly full, claims-engine spends around 70 % of its time collecting garbage, and its responses have become slow as a result.", ["E1", "E2", "E7"]),
            ("SYMPTOM", "Three OutOfMemoryErrors for Java heap space were thrown in less than nine minutes.", ["E4"]),
            ("SYMPTOM", "Heap usage more than tripled over the fifty minutes observed.", ["E2"]),
            ("SYMPTOM", "At p99 a request now takes 18.6 seconds, 44 times as long as at the start.", ["E7"]),
            ("SYMPTOM", "The median suffered far less, going from 80 ms to 310 ms.", ["E8"]),
            ("SYMPTOM", "Two of the three replicas are not ready.", ["E3"]),
            ("IMPACT", "broker-portal ran into 417 read timeouts against claims-engine.", ["E10"]),
            ("RULED_OUT", "The kernel's OOM killer was not involved, since the container exited with code 3 instead of 137.", ["E5"]),
            ("RULED_OUT", "The working set topped out at about 4.6 GiB and so remained below the container's limit of 6Gi.", ["E11", "E3"]),
            ("RULED_OUT", "ins-04 reports no pressure of any kind.", ["E9"]),
            ("RULED_OUT", "claims-db isn't being flooded: its query rate fell by around 70 %.", ["E12"]),
            ("SYMPTOM", "Garbage collection took off five minutes after the heap did.", ["E1", "E2"]),
            ("SYMPTOM", "The portal saw its first timeout a little over nine minutes after the import had begun.", ["E10", "E6"]),
            ("SYMPTOM", "The latency alert didn't fire until 08:01, nearly 13 minutes into the import.", ["E13", "E6"]),
        ],
        "false": [
            ("CAUSE", "A session cache without an upper bound filled the heap.", ["E14"]),  # runbook only
            ("CAUSE", "The container exceeded its memory limit and was OOM killed.", ["E5"]),  # exit code 3, working set below the limit
            ("CAUSE", "claims-db is overloaded by a surge of queries.", ["E12"]),  # its queries fell
            ("SYMPTOM", "The median response time rose to 18.6 seconds.", ["E7"]),  # p99
            ("SYMPTOM", "claims-engine uses 6Gi of memory.", ["E3"]),  # the limit
            ("IMPACT", "claims-engine ran into 417 read timeouts against broker-portal.", ["E10"]),  # roles swapped
            ("SYMPTOM", "GC overhead went up before the heap began to grow.", ["E1", "E2"]),  # five minutes after
            ("RULED_OUT", "All three replicas of claims-engine are ready.", ["E3"]),  # 1/3
            ("RULED_OUT", "claims-engine-5d7c8b9f44-kq2lm has not been restarted.", ["E5"]),  # 3 restarts
            ("SYMPTOM", "The import of the tariff file was finished at 07:48:12.", ["E6"]),  # started
            ("CAUSE", "ins-04 ran out of memory.", ["E9"]),  # no pressure
            ("SYMPTOM", "Only 7.1 % of the time went into garbage collection at the end.", ["E1"]),  # 71 %
        ],
    },
    {
        "run": "disk-pressure",
        "evidence": [
            ("E1", "query_cluster", "node/pool2-7", "node pool2-7: is Ready, DiskPressure is True since 2026-07-14T03:41:22Z, taint node.kubernetes.io/disk-pressure:NoSchedule, allocatable 7.8 CPU, 30Gi memory"),
            ("E2", "query_logs", "kubernetes-events", "38 x WARN kubernetes-events between 2026-07-14T03:41:30Z and 2026-07-14T04:12:09Z: Evicted Pod/<id>: The node was low on resource: ephemeral-storage. (for example: Evicted Pod/invoice-api-6b8d7-2xkzp: The node was low on resource: ephemeral-storage.)"),
            ("E3", "query_metrics", "pool2-7", "node_filesystem_avail_bytes of pool2-7 (bytes): first 64424509440 at 2026-07-14T02:50:00Z, last 3221225472 at 2026-07-14T04:12:00Z, min 2147483648 at 2026-07-14T03:58:00Z, max 64424509440 at 2026-07-14T02:50:00Z, mean 27000000000, 83 points, falling, changed at 2026-07-14T03:20:00Z from about 58000000000 to about 9000000000"),
            ("E4", "query_logs", "report-builder", "1 x INFO report-builder at 2026-07-14T03:05:00Z: nightly job: writing 12 quarterly archives to /scratch"),
            ("E5", "query_cluster", "deployment/report-builder", "deployment report-builder (namespace reports): 0/2 ready, its pods: 2 Pending, volume scratch is an emptyDir without a size limit, mounted at /scratch"),
            ("E6", "query_cluster", "pod/report-builder-77f5c9-zx9q1", "pod report-builder-77f5c9-zx9q1 (namespace reports, app report-builder): phase Failed, status Evicted, on node pool2-7, message: The node was low on resource: ephemeral-storage. Container builder was using 41Gi, request is 1Gi"),
            ("E7", "query_logs", "kubernetes-events", "17 x WARN kubernetes-events between 2026-07-14T03:43:10Z and 2026-07-14T04:11:50Z: FailedScheduling Pod/<id>: 0/3 nodes are available: 1 node(s) had untolerated taint node.kubernetes.io/disk-pressure, 2 Insufficient memory."),
            ("E8", "query_cluster", "app/invoice-api", "app invoice-api (namespace billing): 4 pods: 2 Running and Ready, 2 Pending, 0 restarts, on node pool2-8"),
            ("E9", "query_cluster", "node/pool2-8", "node pool2-8: is Ready, no pressure, allocatable 7.8 CPU, 30Gi memory"),
            ("E10", "query_cluster", "node/pool2-9", "node pool2-9: is Ready, no pressure, allocatable 7.8 CPU, 30Gi memory"),
            ("E11", "query_metrics", "invoice-api", "http_server_errors_ratio of invoice-api (ratio): first 0.002 at 2026-07-14T02:50:00Z, last 0.003 at 2026-07-14T04:12:00Z, min 0.001 at 2026-07-14T03:12:00Z, max 0.006 at 2026-07-14T03:49:00Z, mean 0.0027, 83 points, varying"),
            ("E12", "query_metrics", "invoice-api", "http_request_duration_seconds of invoice-api (seconds) {quantile=0.95}: first 0.18 at 2026-07-14T02:50:00Z, last 0.44 at 2026-07-14T04:12:00Z, min 0.17 at 2026-07-14T03:02:00Z, max 0.52 at 2026-07-14T03:55:00Z, mean 0.27, 83 points, rising, changed at 2026-07-14T03:46:00Z from about 0.18 to about 0.43"),
            ("E13", "query_alerts", None, 'alert "NodeDiskPressure" is firing since 2026-07-14T03:46:00Z, severity warning, node pool2-7: node is under disk pressure'),
            ("E14", "query_metrics", "pool2-7", "node_cpu_utilization of pool2-7 (percent): first 41 at 2026-07-14T02:50:00Z, last 39 at 2026-07-14T04:12:00Z, min 38 at 2026-07-14T03:59:00Z, max 46 at 2026-07-14T03:10:00Z, mean 41.5, 83 points, flat"),
            ("E15", "query_alerts", "invoice-api", 'alert "InvoiceApiErrors" is inactive: more than 1 % of the requests of invoice-api fail'),
        ],
        "coverage": [("query_logs", "OK", 5230), ("query_metrics", "OK", 44), ("query_cluster", "OK", 90), ("query_alerts", "OK", 12)],
        "claims": [
            ("CAUSE", "The nightly job of report-builder wrote its archives into an emptyDir without a size limit and thereby used up the disk of pool2-7.", ["E4", "E5", "E6", "E3"]),
            ("CAUSE", "Displaced pods can't be placed anywhere else because the two remaining nodes lack memory.", ["E7"]),
            ("SYMPTOM", "Free space on pool2-7 shrank from 60 GiB to as little as 2 GiB at 03:58.", ["E3"]),
            ("SYMPTOM", "Evictions for lack of ephemeral storage were recorded 38 times in about half an hour.", ["E2"]),
            ("SYMPTOM", "The builder container was using 41Gi of ephemeral storage against a request of just 1Gi.", ["E6"]),
            ("SYMPTOM", "Evictions set in eight seconds after pool2-7 had come under disk pressure.", ["E2", "E1"]),
            ("SYMPTOM", "Both replicas of report-builder are pending.", ["E5"]),
            ("IMPACT", "invoice-api is down to half its strength, with two of four pods running.", ["E8"]),
            ("IMPACT", "invoice-api got slower (p95 up from 180 ms to 440 ms) but hardly failed: its error ratio never went above 0.6 %.", ["E12", "E11"]),
            ("RULED_OUT", "The error alert of invoice-api has not fired.", ["E15"]),
            ("RULED_OUT", "CPU on pool2-7 was unremarkable, between 38 and 46 percent.", ["E14"]),
            ("RULED_OUT", "Neither pool2-8 nor pool2-9 is under pressure.", ["E9", "E10"]),
            ("SYMPTOM", "108 seconds after disk pressure set in, the first pod could not be scheduled.", ["E7", "E1"]),
            ("SYMPTOM", "NodeDiskPressure fired less than five minutes after the condition had become true.", ["E13", "E1"]),
            ("SYMPTOM", "The disk had been losing space well before the first eviction.", ["E3", "E2"]),
        ],
        "false": [
            ("SYMPTOM", "pool2-8 has been under disk pressure since 03:41:22.", ["E1"]),  # pool2-7
            ("CAUSE", "invoice-api filled the disk of its node.", ["E2"]),  # report-builder did; invoice-api was evicted
            ("SYMPTOM", "The builder container had requested 41Gi of ephemeral storage.", ["E6"]),  # used 41Gi, requested 1Gi
            ("IMPACT", "invoice-api has no running pod left.", ["E8"]),  # 2 run
            ("CAUSE", "The pods were evicted because the node was low on memory.", ["E2"]),  # ephemeral storage
            ("IMPACT", "invoice-api's error ratio rose to 6 %.", ["E11"]),  # 0.6 %
            ("SYMPTOM", "The disk of pool2-7 lost 2 GiB of free space.", ["E3"]),  # it fell to 2 GiB
            ("SYMPTOM", "The disk began to fill up only after the evictions had started.", ["E3", "E2"]),  # 03:20 before 03:41
            ("RULED_OUT", "All three nodes are short of memory.", ["E7"]),  # two; the third is tainted
            ("IMPACT", "p95 of invoice-api was cut by more than half.", ["E12"]),  # more than doubled
            ("IMPACT", "InvoiceApiErrors is firing.", ["E15"]),  # inactive
            ("RULED_OUT", "report-builder runs normally.", ["E4"]),  # 0/2 ready (E5), evicted (E6)
        ],
    },
    {
        "run": "egress-lockdown",
        "evidence": [
            ("E1", "query_cluster", "networkpolicy/lockdown-egress", "networkpolicy lockdown-egress (namespace loyalty) created 2026-03-24T10:02:17Z: selects app=points-api, egress allowed only to namespace loyalty on 5432/TCP"),
            ("E2", "query_logs", "points-api", "922 x ERROR points-api between 2026-03-24T10:02:21Z and 2026-03-24T10:40:18Z: lookup member-api.members.svc on 10.96.0.10:53: i/o timeout"),
            ("E3", "query_logs", "points-worker", "140 x INFO points-worker between 2026-03-24T10:02:00Z and 2026-03-24T10:40:00Z: settled batch <num> (for example: settled batch 7719)"),
            ("E4", "query_cluster", "app/coredns", "app coredns (namespace kube-system): 2 pods: 2 Running and Ready, 0 restarts, on nodes cp-1, cp-2"),
            ("E5", "query_metrics", "coredns", "coredns_dns_responses_per_second of coredns {rcode=SERVFAIL}: first 0 at 2026-03-24T09:45:00Z, last 0 at 2026-03-24T10:40:00Z, min 0 at 2026-03-24T09:45:00Z, max 0 at 2026-03-24T09:45:00Z, mean 0, 56 points, flat"),
            ("E6", "query_metrics", "coredns", "coredns_dns_requests_per_second of coredns: first 240 at 2026-03-24T09:45:00Z, last 212 at 2026-03-24T10:40:00Z, min 205 at 2026-03-24T10:17:00Z, max 251 at 2026-03-24T09:58:00Z, mean 221, 56 points, falling, changed at 2026-03-24T10:02:00Z from about 240 to about 211"),
            ("E7", "query_cluster", "service/member-api", "service member-api (namespace members): 3 ready endpoints, answers at member-api.members:8080 from cp-1, cp-2, wk-1"),
            ("E8", "query_cluster", "app/points-api", "app points-api (namespace loyalty): 3 pods: 3 Running and Ready, 0 restarts, on nodes wk-1, wk-2"),
            ("E9", "query_alerts", "points-api", 'alert "PointsApiErrors" is firing since 2026-03-24T10:06:00Z, severity critical, value 6.2e-01: more than 5 % of the requests of points-api fail'),
            ("E10", "query_logs", "shop-checkout", "511 x WARN shop-checkout between 2026-03-24T10:02:24Z and 2026-03-24T10:40:11Z: points-api answered <num>, order placed without points (for example: points-api answered 500, order placed without points)"),
            ("E11", "query_metrics", "points-db", "DatabaseConnections of points-db (Count, Average): first 34 at 2026-03-24T09:45:00Z, last 35 at 2026-03-24T10:40:00Z, min 33 at 2026-03-24T10:05:00Z, max 36 at 2026-03-24T09:51:00Z, mean 34.4, 56 points, flat"),
            ("E12", "query_cluster", "object/member-api", "change at 2026-03-24T10:05:40Z: deploy: member-api 4.1.0 -> 4.1.1: new log format, by pipeline-12"),
            ("E13", "payload", "points-api", 'alert payload "PointsApiErrors", severity critical, firing, since 2026-03-24T10:06:00Z, service points-api: points-api cannot reach member-api, suspected: member-api 4.1.1', "REPORTED"),
        ],
        "coverage": [("query_logs", "OK", 12008), ("query_metrics", "OK", 17), ("query_cluster", "OK", 66), ("query_alerts", "OK", 2)],
        "claims": [
            ("CAUSE", "A network policy put in place at 10:02:17 restricts the egress of points-api to port 5432 in its own namespace and so cuts it off from DNS on port 53.", ["E1", "E2"]),
            ("SYMPTOM", "Name lookups by points-api began to time out four seconds after the policy had been created.", ["E2", "E1"]),
            ("SYMPTOM", "922 lookups of member-api.members.svc timed out within 38 minutes.", ["E2"]),
            ("RULED_OUT", "CoreDNS itself is sound: both of its pods are ready, and it didn't return a single SERVFAIL.", ["E4", "E5"]),
            ("RULED_OUT", "member-api is reachable; it answers from three nodes and has three ready endpoints.", ["E7"]),
            ("RULED_OUT", "The deploy of member-api can't be the trigger, because it happened more than three minutes after the first failed lookup.", ["E12", "E2"]),
            ("RULED_OUT", "points-worker kept settling batches throughout, 140 of them.", ["E3"]),
            ("SYMPTOM", "Since 10:02 CoreDNS has been receiving roughly 12 % fewer queries.", ["E6"]),
            ("IMPACT", "511 orders went through without points being credited.", ["E10"]),
            ("IMPACT", "Some 62 % of the requests to points-api fail.", ["E9"]),
            ("RULED_OUT", "The path to the database is unaffected, as points-db kept its 33 to 36 connections.", ["E11"]),
            ("RULED_OUT", "points-api has had no restarts.", ["E8"]),
            ("SYMPTOM", "shop-checkout noticed within three seconds of the first lookup error.", ["E10", "E2"]),
            ("SYMPTOM", "The policy leaves access to Postgres on 5432 open.", ["E1"]),
        ],
        "false": [
            ("CAUSE", "The deploy of member-api 4.1.1 made points-api fail.", ["E12"]),  # came after the first errors
            ("CAUSE", "member-api 4.1.1 is broken.", ["E13"]),  # only the alert's suspicion
            ("CAUSE", "CoreDNS is down.", ["E2"]),  # 2 ready (E4)
            ("CAUSE", "The network policy blocks ingress to points-api.", ["E1"]),  # egress
            ("SYMPTOM", "member-api was unable to resolve points-api.", ["E2"]),  # roles swapped
            ("SYMPTOM", "points-worker's lookups timed out as well.", ["E2", "E3"]),  # points-worker works
            ("CAUSE", "The name member-api.members.svc does not exist.", ["E2"]),  # a timeout, not NXDOMAIN
            ("IMPACT", "511 orders were lost.", ["E10"]),  # placed without points
            ("SYMPTOM", "CoreDNS has had to answer more queries since 10:02.", ["E6"]),  # fewer
            ("SYMPTOM", "The lookups were failing before the policy was created.", ["E1", "E2"]),  # 4 s after
            ("CAUSE", "points-api cannot reach its database, since the policy blocks port 5432.", ["E1"]),  # it is the only port allowed
            ("RULED_OUT", "points-api is healthy, with three of three pods ready.", ["E8"]),  # 62 % of its requests fail (E9)
        ],
    },
    {
        "run": "ranking-release",
        "evidence": [
            ("E1", "query_cluster", "object/feed-api", "change at 2026-08-20T16:30:12Z: deploy: feed-api 3.18.2 -> 3.19.0: personalised ranking, by pipeline-77"),
            ("E2", "query_metrics", "feed-api", "http_server_request_duration_seconds of feed-api (seconds) {quantile=0.95}: first 0.21 at 2026-08-20T16:00:00Z, last 1.34 at 2026-08-20T17:00:00Z, min 0.19 at 2026-08-20T16:08:00Z, max 1.52 at 2026-08-20T16:49:00Z, mean 0.75, 61 points, rising, changed at 2026-08-20T16:31:00Z from about 0.2 to about 1.3"),
            ("E3", "query_logs", "rank-service", "803 x WARN rank-service between 2026-08-20T16:31:02Z and 2026-08-20T16:59:40Z: model inference took <dur>, budget is 200 ms (for example: model inference took 970ms, budget is 200 ms)"),
            ("E4", "query_metrics", "rank-service", "requests_per_second of rank-service: first 35 at 2026-08-20T16:00:00Z, last 388 at 2026-08-20T17:00:00Z, min 33 at 2026-08-20T16:12:00Z, max 402 at 2026-08-20T16:46:00Z, mean 206, 61 points, rising, changed at 2026-08-20T16:31:00Z from about 35 to about 385"),
            ("E5", "query_cluster", "hpa/rank-service", "hpa rank-service (namespace feed): 6 of at most 6 replicas, cpu 97% of the request, target 70%, ScalingLimited is True since 2026-08-20T16:34:30Z: the desired replica count is more than the maximum"),
            ("E6", "query_cluster", "app/rank-service", "app rank-service (namespace feed): 6 pods: 6 Running and Ready, 0 restarts, on nodes f-2, f-3, f-6"),
            ("E7", "query_metrics", "rank-service", "container_cpu_throttled_ratio of rank-service (ratio): first 0.01 at 2026-08-20T16:00:00Z, last 0.58 at 2026-08-20T17:00:00Z, min 0 at 2026-08-20T16:05:00Z, max 0.63 at 2026-08-20T16:44:00Z, mean 0.29, 61 points, rising, changed at 2026-08-20T16:32:00Z from about 0.01 to about 0.57"),
            ("E8", "query_metrics", "feed-api", "http_server_requests_per_second of feed-api: first 195 at 2026-08-20T16:00:00Z, last 196 at 2026-08-20T17:00:00Z, min 190 at 2026-08-20T16:22:00Z, max 201 at 2026-08-20T16:41:00Z, mean 195.6, 61 points, flat"),
            ("E9", "query_alerts", "feed-api", 'alert "FeedLatency" is firing since 2026-08-20T16:36:00Z, severity warning, value 1.3e+00: p95 of feed-api above 800 ms'),
            ("E10", "query_metrics", "feed-api", "http_server_errors_ratio of feed-api (ratio): first 0.0004 at 2026-08-20T16:00:00Z, last 0.0005 at 2026-08-20T17:00:00Z, min 0.0002 at 2026-08-20T16:17:00Z, max 0.0009 at 2026-08-20T16:48:00Z, mean 0.0005, 61 points, flat"),
            ("E11", "query_logs", "feed-api", "2026-08-20T16:30:55Z INFO feed-api: started version 3.19.0, feature ranking_v2 on"),
            ("E12", "query_metrics", "ads-service", "http_server_request_duration_seconds of ads-service (seconds) {quantile=0.95}: first 0.045 at 2026-08-20T16:00:00Z, last 0.047 at 2026-08-20T17:00:00Z, min 0.043 at 2026-08-20T16:14:00Z, max 0.049 at 2026-08-20T16:37:00Z, mean 0.046, 61 points, flat"),
            ("E13", "query_cluster", "app/feed-api", "app feed-api: calls ads-service, rank-service, user-store"),
            ("E14", "query_metrics", "mobile-app", "scroll_sessions_per_minute of mobile-app: first 5200 at 2026-08-20T16:00:00Z, last 3900 at 2026-08-20T17:00:00Z, min 3800 at 2026-08-20T16:51:00Z, max 5260 at 2026-08-20T16:20:00Z, mean 4500, 61 points, falling, changed at 2026-08-20T16:35:00Z from about 5200 to about 3950"),
        ],
        "coverage": [("query_logs", "OK", 44120), ("query_metrics", "OK", 60), ("query_cluster", "OK", 35), ("query_alerts", "OK", 7)],
        "claims": [
            ("CAUSE", "feed-api 3.19.0 came with ranking_v2 switched on, and the calls to rank-service went up about elevenfold.", ["E1", "E11", "E4"]),
            ("CAUSE", "rank-service can't scale out any further, having reached its maximum of six replicas, and its CPU is being throttled more than half of the time.", ["E5", "E7"]),
            ("SYMPTOM", "Within a minute of the deploy, the p95 of feed-api had started its more than sixfold rise.", ["E2", "E1"]),
            ("SYMPTOM", "Inference overran its 200 ms budget 803 times; in one case it took 970 ms.", ["E3"]),
            ("SYMPTOM", "Four minutes and 18 seconds after the deploy, the autoscaler hit its cap.", ["E5", "E1"]),
            ("SYMPTOM", "rank-service runs at 97 % CPU where its autoscaler aims for 70 %.", ["E5"]),
            ("IMPACT", "Scroll sessions dropped by a quarter, from 5,200 to 3,900 a minute.", ["E14"]),
            ("IMPACT", "Users get slow feeds but next to no errors: at no time did more than 0.09 % of requests fail.", ["E2", "E10"]),
            ("RULED_OUT", "Incoming traffic on feed-api remained steady at 190 to 201 requests per second.", ["E8"]),
            ("RULED_OUT", "ads-service, which is called by feed-api too, is as fast as before (p95 around 46 ms).", ["E12", "E13"]),
            ("RULED_OUT", "rank-service is slow rather than crashing, its six pods being ready without a restart.", ["E6", "E3"]),
            ("SYMPTOM", "A feed request now triggers about two ranking calls on average; it used to be less than one in five.", ["E4", "E8"]),
            ("SYMPTOM", "FeedLatency fired less than six minutes after the deploy, with the p95 at 1.3 s.", ["E9", "E1"]),
        ],
        "false": [
            ("CAUSE", "rank-service 3.19.0 was deployed at 16:30:12.", ["E1"]),  # feed-api
            ("CAUSE", "feed-api was rolled back from 3.19.0 to 3.18.2.", ["E1"]),  # upgraded
            ("CAUSE", "feed-api is slow because ads-service has slowed down.", ["E13", "E2"]),  # ads-service flat (E12)
            ("SYMPTOM", "The p99 of feed-api is 1.34 s.", ["E2"]),  # p95
            ("SYMPTOM", "Every inference overran its budget.", ["E3"]),  # 803 did; nothing says all
            ("SYMPTOM", "rank-service still has room to scale out.", ["E5"]),  # at the maximum
            ("IMPACT", "9 % of the feed requests fail.", ["E10"]),  # 0.09 %
            ("IMPACT", "Scroll sessions grew by a third.", ["E14"]),  # fell
            ("SYMPTOM", "rank-service calls feed-api.", ["E13"]),  # swapped
            ("SYMPTOM", "Latency had been rising before the deploy.", ["E2", "E1"]),  # from 16:31
            ("CAUSE", "Traffic to feed-api grew elevenfold.", ["E8"]),  # flat
            ("SYMPTOM", "rank-service restarted six times.", ["E6"]),  # 6 pods, 0 restarts
        ],
    },
]
