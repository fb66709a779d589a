# ruff: noqa: E501  (one evidence line or claim a line: they are read as data)
# fmt: off
"""Blind runs 5 of 5, by a writer who had not seen the verifier: measured on first contact, then added here."""

OK = [("query_logs", "OK", 9000), ("query_metrics", "OK", 20), ("query_cluster", "OK", 40), ("query_alerts", "OK", 3)]
L, M, C, A = "query_logs", "query_metrics", "query_cluster", "query_alerts"

RUNS = [
    {
        "run": "poison-record",
        "coverage": OK,
        "evidence": [
            ("E1", L, "ledger-writer", '148 x ERROR ledger-writer between 2026-01-20T11:06:14Z and 2026-01-20T11:43:02Z: cannot parse record at topic payments-v2 partition <num> offset <num>: unknown field "fx_rate" (for example: cannot parse record at topic payments-v2 partition 7 offset 5512093: unknown field "fx_rate")'),
            ("E2", M, "ledger-writer", "consumer_lag of ledger-writer: first 40 at 2026-01-20T10:45:00Z, last 91200 at 2026-01-20T11:45:00Z, min 22 at 2026-01-20T10:52:00Z, max 91200 at 2026-01-20T11:45:00Z, mean 29590, 61 points, rising, changed at 2026-01-20T11:06:00Z from about 38 to about 45500"),
            ("E3", C, "object/payments-producer", "change at 2026-01-20T11:03:30Z: deploy: payments-producer 2.8.0 -> 2.9.0: adds fx_rate, by pipeline-pay"),
            ("E4", L, "ledger-writer", "148 x INFO ledger-writer between 2026-01-20T11:06:15Z and 2026-01-20T11:43:03Z: seeking back to committed offset <num> (for example: seeking back to committed offset 5512092)"),
            ("E5", C, "app/ledger-writer", "app ledger-writer (namespace fin): 3 pods: 3 Running and Ready, 0 restarts, on nodes az1-04, az2-09, az3-02"),
            ("E6", C, "object/payments-producer", "change at 2026-01-20T11:44:10Z: rollback: payments-producer 2.9.0 -> 2.8.0, by sven.aalto@fin.example"),
            ("E7", C, "app/kafka", "app kafka (namespace mq): 3 pods: 3 Running and Ready, 0 restarts, on nodes az1-02, az2-02, az3-05"),
            ("E8", M, "payments-v2", "records_in_per_second of payments-v2: first 39 at 2026-01-20T10:45:00Z, last 41 at 2026-01-20T11:45:00Z, min 35 at 2026-01-20T11:13:00Z, max 44 at 2026-01-20T10:58:00Z, mean 40, 61 points, flat"),
            ("E9", L, "balance-report", "6 x WARN balance-report between 2026-01-20T11:18:00Z and 2026-01-20T11:43:00Z: balances are older than 600s"),
            ("E10", A, "ledger-writer", 'alert "LedgerLagHigh" is firing since 2026-01-20T11:16:00Z, severity critical, value 2.3e+04: consumer lag above 10000'),
        ],
        "claims": [
            ("SYMPTOM", "ledger-writer failed to parse records from topic payments-v2 148 times between 11:06 and 11:43.", ["E1"]),
            ("CAUSE", "payments-producer 2.9.0, deployed at 11:03:30, added the field fx_rate, which ledger-writer does not know and therefore cannot parse.", ["E3", "E1"]),
            ("SYMPTOM", "The parse errors started less than three minutes after payments-producer 2.9.0 was deployed.", ["E1", "E3"]),
            ("SYMPTOM", "The consumer lag of ledger-writer grew from 40 to 91,200 in one hour.", ["E2"]),
            ("SYMPTOM", "Consumer lag was at its highest at 11:45, the end of the observed window.", ["E2"]),
            ("SYMPTOM", "ledger-writer went back to its committed offset 148 times.", ["E4"]),
            ("SYMPTOM", "payments-producer was rolled back to 2.8.0 at 11:44:10 by sven.aalto@fin.example.", ["E6"]),
            ("SYMPTOM", "About 41 minutes passed between the deployment and the rollback.", ["E3", "E6"]),
            ("RULED_OUT", "The ledger-writer pods did not crash: all three are ready and none has restarted.", ["E5"]),
            ("RULED_OUT", "The Kafka brokers are healthy, with all 3 pods Running and Ready.", ["E7"]),
            ("RULED_OUT", "The inflow to payments-v2 was steady at about 40 records per second, so the lag is not due to a higher load.", ["E8"]),
            ("SYMPTOM", "The alert LedgerLagHigh fired ten minutes after the lag began to grow.", ["E10", "E2"]),
            ("IMPACT", "balance-report warned six times that balances were more than 10 minutes old.", ["E9"]),
            ("SYMPTOM", "By 11:45 the lag was more than nine times the alert threshold of 10,000.", ["E2", "E10"]),
        ],
        "false": [
            ("SYMPTOM", "payments-producer was rolled back from 2.8.0 to 2.9.0.", ["E6"]),  # direction
            ("SYMPTOM", "ledger-writer failed to parse records 184 times.", ["E1"]),  # 148
            ("SYMPTOM", "The field that ledger-writer does not know is fx_date.", ["E1"]),  # fx_rate
            ("CAUSE", "The lag grew because more records arrived in payments-v2.", ["E8", "E2"]),  # flat
            ("SYMPTOM", "The parse errors began before payments-producer 2.9.0 was deployed.", ["E1", "E3"]),  # order
            ("CAUSE", "One of the three Kafka pods is down.", ["E7"]),  # all ready
            ("SYMPTOM", "The rollback brought the consumer lag back to about 40.", ["E6", "E2"]),  # 91200 at 11:45
            ("SYMPTOM", "The alert LedgerLagHigh fired at 11:06.", ["E10"]),  # 11:16
            ("SYMPTOM", "payments-producer cannot parse records from payments-v2.", ["E1"]),  # entity
            ("IMPACT", "balance-report warned that balances were more than 600 minutes old.", ["E9"]),  # unit
        ],
    },
    {
        "run": "debug-log-disk",
        "coverage": OK,
        "evidence": [
            ("E1", C, "node/compute-17", "node compute-17: Ready is True, DiskPressure is True: kubelet has disk pressure, 14 recorded pods on it, 6 unhealthy"),
            ("E2", L, "kubernetes-events", "19 x WARN kubernetes-events between 2026-06-17T04:12:33Z and 2026-06-17T04:40:18Z: Evicted Pod/<*>: The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: <num>Gi (for example: Evicted Pod/search-index-66c8f7d5d9-tw2lp: The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 7Gi)"),
            ("E3", M, "compute-17", "node_filesystem_avail_bytes of compute-17 (bytes): first 64424509440 at 2026-06-17T03:00:00Z, last 9663676416 at 2026-06-17T05:00:00Z, min 4294967296 at 2026-06-17T04:31:00Z, max 64424509440 at 2026-06-17T03:00:00Z, mean 27000000000, 121 points, falling"),
            ("E4", L, "audit-tap", "88,400 x DEBUG audit-tap between 2026-06-17T02:58:07Z and 2026-06-17T04:59:59Z: frame <num> dumped to /var/spool/audit (for example: frame 90412 dumped to /var/spool/audit)"),
            ("E5", C, "object/audit-tap", "change at 2026-06-17T02:57:40Z: config: log_level of audit-tap set from info to debug, by raj.patel@infra.example"),
            ("E6", C, "node/compute-18", "node compute-18: is Ready, no pressure, allocatable 15.9 CPU, 61.2Gi memory"),
            ("E7", C, "deployment/search-index", "deployment search-index (namespace catalog): 2/5 ready, its pods: 2 Running, 3 Evicted"),
            ("E8", M, "search-index", "search-index-success_rate: first 1 at 2026-06-17T03:00:00Z, last 0.93 at 2026-06-17T05:00:00Z, min 0.89 at 2026-06-17T04:36:00Z, max 1 at 2026-06-17T03:00:00Z, mean 0.973, 121 points, falling, changed at 2026-06-17T04:14:00Z from about 1 to about 0.93"),
            ("E9", L, "compute-17", "1 x INFO compute-17 at 2026-06-17T04:33:05Z: image garbage collection freed 5.6 GiB"),
            ("E10", M, "compute-17", "node_memory_available_bytes of compute-17 (bytes): first 21474836480 at 2026-06-17T03:00:00Z, last 21367462297 at 2026-06-17T05:00:00Z, min 20937965568 at 2026-06-17T04:10:00Z, max 21903310848 at 2026-06-17T03:22:00Z, mean 21400000000, 121 points, flat"),
        ],
        "claims": [
            ("SYMPTOM", "Node compute-17 is under disk pressure.", ["E1"]),
            ("CAUSE", "The disk of compute-17 filled up after audit-tap was switched to debug logging at 02:57:40 and began to dump frames to /var/spool/audit.", ["E5", "E4", "E3"]),
            ("SYMPTOM", "Free disk space on compute-17 shrank from 60 GiB to a low of 4 GiB at 04:31.", ["E3"]),
            ("SYMPTOM", "Kubernetes evicted pods 19 times between 04:12 and 04:40 because ephemeral storage was low.", ["E2"]),
            ("SYMPTOM", "The eviction threshold is 10Gi of ephemeral storage.", ["E2"]),
            ("SYMPTOM", "The first eviction happened about 75 minutes after the log level was changed.", ["E2", "E5"]),
            ("SYMPTOM", "Only two of five search-index pods are ready; the other three were evicted.", ["E7"]),
            ("IMPACT", "The success rate of search-index dropped to 89% at its lowest point, at 04:36.", ["E8"]),
            ("SYMPTOM", "Image garbage collection freed 5.6 GiB at 04:33, about two minutes after free space was lowest.", ["E9", "E3"]),
            ("RULED_OUT", "Memory was not the problem, since about 20 GiB stayed available on compute-17.", ["E10"]),
            ("RULED_OUT", "compute-18 is not affected and shows no pressure.", ["E6"]),
            ("SYMPTOM", "At 05:00 only 9 GiB were free, which is still below the eviction threshold of 10Gi.", ["E3", "E2"]),
            ("SYMPTOM", "6 of the 14 pods on compute-17 are unhealthy.", ["E1"]),
        ],
        "false": [
            ("SYMPTOM", "Node compute-18 is under disk pressure.", ["E6", "E1"]),  # entity
            ("CAUSE", "The log level of audit-tap was set from debug to info.", ["E5"]),  # direction
            ("SYMPTOM", "Pods were evicted because memory was low.", ["E2"]),  # ephemeral storage
            ("SYMPTOM", "Three of the five search-index pods are ready.", ["E7"]),  # two
            ("SYMPTOM", "Free disk space on compute-17 was down to 4 MiB at 04:31.", ["E3"]),  # unit GiB
            ("IMPACT", "The success rate of search-index dropped to 98% at its lowest point.", ["E8"]),  # 89
            ("SYMPTOM", "The evictions began before the log level of audit-tap was changed.", ["E2", "E5"]),  # order
            ("SYMPTOM", "Image garbage collection freed 56 GiB.", ["E9"]),  # 5.6
            ("SYMPTOM", "audit-tap wrote 84,800 debug messages.", ["E4"]),  # 88,400
            ("SYMPTOM", "By 05:00 free disk space was above the eviction threshold again.", ["E3", "E2"]),  # 9 < 10
        ],
    },
    {
        "run": "clock-ahead",
        "coverage": OK,
        "evidence": [
            ("E1", L, "auth-gw", "5,020 x WARN auth-gw between 2026-04-27T20:10:05Z and 2026-04-27T20:49:40Z: token rejected: used before issued, iat is <num>s in the future (for example: token rejected: used before issued, iat is 93s in the future)"),
            ("E2", M, "token-host-2", "node_timex_offset_seconds of token-host-2 (seconds): first 0.002 at 2026-04-27T19:30:00Z, last 96 at 2026-04-27T20:50:00Z, min 0.001 at 2026-04-27T19:34:00Z, max 97 at 2026-04-27T20:48:00Z, mean 48.2, 81 points, rising, changed at 2026-04-27T20:09:00Z from about 0.002 to about 94"),
            ("E3", C, "node/token-host-2", "node token-host-2: service chronyd is inactive (dead), since Mon 2026-04-27 19:58:20 UTC; 54min ago, last words: Apr 27 19:58:20 token-host-2 chronyd[811]: chronyd exiting"),
            ("E4", M, "token-host-1", "node_timex_offset_seconds of token-host-1 (seconds): first 0.001 at 2026-04-27T19:30:00Z, last 0.002 at 2026-04-27T20:50:00Z, min 0.001 at 2026-04-27T19:30:00Z, max 0.004 at 2026-04-27T20:17:00Z, mean 0.002, 81 points, flat"),
            ("E5", L, "hypervisor", "1 x INFO hypervisor at 2026-04-27T20:09:02Z: guest token-host-2 resumed after live migration, paused for 1.8s"),
            ("E6", M, "auth-gw", "login_success_ratio of auth-gw: first 0.995 at 2026-04-27T19:30:00Z, last 0.51 at 2026-04-27T20:50:00Z, min 0.48 at 2026-04-27T20:31:00Z, max 0.997 at 2026-04-27T19:44:00Z, mean 0.753, 81 points, falling, changed at 2026-04-27T20:10:00Z from about 0.995 to about 0.51"),
            ("E7", C, "app/token-issuer", "app token-issuer (namespace id): 2 pods: 2 Running and Ready, 0 restarts, on nodes token-host-1, token-host-2"),
            ("E8", C, "object/auth-gw", "change at 2026-04-27T18:15:00Z: deploy: auth-gw 1.19.3 -> 1.20.0: new login page, by pipeline-id"),
            ("E9", A, "auth-gw", 'alert "LoginFailures" is firing since 2026-04-27T20:14:00Z, severity critical, value 0.49: login failures above 10%'),
        ],
        "claims": [
            ("SYMPTOM", "auth-gw rejected 5,020 tokens because their issue time was in the future.", ["E1"]),
            ("CAUSE", "The clock of token-host-2 is about 94 seconds off, so the tokens issued there look as if they came from the future and auth-gw rejects them.", ["E2", "E1", "E7"]),
            ("SYMPTOM", "The clock offset of token-host-2 jumped to about 94 seconds at 20:09.", ["E2"]),
            ("CAUSE", "chronyd on token-host-2 had stopped at 19:58, about eleven minutes before the clock jumped.", ["E3", "E2"]),
            ("CAUSE", "The clock jump coincides with the resume of token-host-2 after a live migration at 20:09:02.", ["E5", "E2"]),
            ("SYMPTOM", "The login success ratio roughly halved, from 0.995 to 0.51.", ["E6"]),
            ("IMPACT", "About half of all logins fail.", ["E6"]),
            ("RULED_OUT", "The clock of token-host-1 is in sync: its offset never exceeded 4 milliseconds.", ["E4"]),
            ("RULED_OUT", "The deployment of auth-gw 1.20.0 happened almost two hours before the first rejected token.", ["E8", "E1"]),
            ("RULED_OUT", "Both token-issuer pods are ready and have never restarted.", ["E7"]),
            ("SYMPTOM", "The alert LoginFailures fired four minutes after the login success ratio dropped.", ["E9", "E6"]),
            ("SYMPTOM", "Of the two nodes that run token-issuer, only token-host-2 has a wrong clock.", ["E7", "E2", "E4"]),
            ("IMPACT", "Login success reached its minimum of 48% at 20:31.", ["E6"]),
        ],
        "false": [
            ("CAUSE", "The clock of token-host-1 is about 94 seconds off.", ["E4", "E2"]),  # entity
            ("SYMPTOM", "The clock offset of token-host-2 jumped to about 94 milliseconds.", ["E2"]),  # unit
            ("CAUSE", "chronyd on token-host-2 stopped at 20:58.", ["E3"]),  # 19:58
            ("SYMPTOM", "chronyd on token-host-2 stopped after its clock had jumped.", ["E3", "E2"]),  # order
            ("SYMPTOM", "auth-gw rejected the tokens because they had expired.", ["E1"]),  # used before issued
            ("IMPACT", "All logins fail.", ["E6"]),  # half
            ("SYMPTOM", "The live migration paused token-host-2 for 18 seconds.", ["E5"]),  # 1.8
            ("CAUSE", "The tokens were rejected immediately after auth-gw 1.20.0 was deployed.", ["E8", "E1"]),  # 2 h later
            ("SYMPTOM", "One of the token-issuer pods restarted.", ["E7"]),  # 0 restarts
            ("IMPACT", "The login success ratio dropped to 15%.", ["E6"]),  # 51%
        ],
    },
    {
        "run": "cpu-credits",
        "coverage": OK,
        "evidence": [
            ("E1", M, "orders-mini", "CPUCreditBalance of orders-mini (Count, Average): first 180 at 2026-02-19T06:00:00Z, last 0 at 2026-02-19T08:00:00Z, min 0 at 2026-02-19T07:18:00Z, max 180 at 2026-02-19T06:00:00Z, mean 59, 121 points, falling"),
            ("E2", M, "orders-mini", "CPUUtilization of orders-mini (Percent, Average): first 64 at 2026-02-19T06:00:00Z, last 20 at 2026-02-19T08:00:00Z, min 19.6 at 2026-02-19T07:33:00Z, max 71 at 2026-02-19T06:40:00Z, mean 50.9, 121 points, falling, changed at 2026-02-19T07:19:00Z from about 67 to about 20"),
            ("E3", M, "orders-mini", "ReadLatency of orders-mini (Milliseconds, Average): first 0.68 at 2026-02-19T06:00:00Z, last 0.71 at 2026-02-19T08:00:00Z, min 0.63 at 2026-02-19T06:47:00Z, max 0.82 at 2026-02-19T07:29:00Z, mean 0.7, 121 points, flat"),
            ("E4", L, "rds-events", "2026-02-18T22:30:00Z INFO rds-events: orders-mini: DB instance class changed from db.m6g.large to db.t4g.medium"),
            ("E5", L, "orders-mini", "2026-02-19T07:30:00Z INFO orders-mini: top SQL by load 31.2 AAS, 46 calls/s, waits CPU=30.4, IO:DataFileRead=0.5: SELECT sku, sum(qty) FROM lines WHERE order_id = ANY($1) GROUP BY sku"),
            ("E6", M, "order-front", "latency_p95 of order-front (Milliseconds): first 140 at 2026-02-19T06:00:00Z, last 2900 at 2026-02-19T08:00:00Z, min 131 at 2026-02-19T06:21:00Z, max 3250 at 2026-02-19T07:46:00Z, mean 1080, 121 points, rising, changed at 2026-02-19T07:19:00Z from about 145 to about 2880"),
            ("E7", M, "orders-mini", "DatabaseConnections of orders-mini (Count, Average): first 45 at 2026-02-19T06:00:00Z, last 98 at 2026-02-19T08:00:00Z, min 43 at 2026-02-19T06:15:00Z, max 100 at 2026-02-19T07:50:00Z, mean 62, 121 points, rising, changed at 2026-02-19T07:20:00Z from about 45 to about 96"),
            ("E8", M, "order-front", "requests_per_second of order-front: first 88 at 2026-02-19T06:00:00Z, last 86 at 2026-02-19T08:00:00Z, min 79 at 2026-02-19T07:41:00Z, max 95 at 2026-02-19T06:22:00Z, mean 88, 121 points, flat"),
            ("E9", L, "order-front", "310 x ERROR order-front between 2026-02-19T07:24:10Z and 2026-02-19T07:59:31Z: no connection available in pool within 5s"),
            ("E10", A, None, 'alert "OrdersMiniCPUHigh" is inactive: CPU of orders-mini above 85% for 10 minutes.'),
        ],
        "claims": [
            ("CAUSE", "orders-mini was moved to the class db.t4g.medium the evening before, ran out of CPU credits at 07:18 and has been held at about 20% CPU since.", ["E4", "E1", "E2"]),
            ("SYMPTOM", "The CPU credit balance of orders-mini fell from 180 to 0 by 07:18.", ["E1"]),
            ("SYMPTOM", "CPU utilization dropped from about 67% to about 20% one minute after the credits ran out.", ["E2", "E1"]),
            ("IMPACT", "The p95 latency of order-front rose about twentyfold, from about 145 ms to about 2,880 ms.", ["E6"]),
            ("IMPACT", "order-front could not get a connection from its pool within 5 seconds 310 times.", ["E9"]),
            ("RULED_OUT", "Traffic did not grow: order-front handled about 88 requests per second throughout.", ["E8"]),
            ("RULED_OUT", "Storage is not the bottleneck, because read latency stayed below 1 ms.", ["E3"]),
            ("SYMPTOM", "The CPU alert stayed inactive, since CPU never went above 71%.", ["E10", "E2"]),
            ("SYMPTOM", "Almost all of the load of the top query is CPU: 30.4 of 31.2 AAS.", ["E5"]),
            ("SYMPTOM", "Database connections more than doubled, from about 45 to about 96.", ["E7"]),
            ("SYMPTOM", "The pool errors began about five minutes after CPU utilization dropped.", ["E9", "E2"]),
            ("SYMPTOM", "The instance class was changed almost nine hours before latency rose.", ["E4", "E6"]),
            ("SYMPTOM", "Latency of order-front peaked at 3.25 seconds at 07:46.", ["E6"]),
        ],
        "false": [
            ("CAUSE", "The class of orders-mini was changed from db.t4g.medium to db.m6g.large.", ["E4"]),  # direction
            ("SYMPTOM", "CPU utilization of orders-mini peaked at 91%.", ["E2"]),  # 71
            ("SYMPTOM", "The CPU credits of orders-mini ran out at 07:48.", ["E1"]),  # 07:18
            ("SYMPTOM", "The alert OrdersMiniCPUHigh is firing.", ["E10"]),  # inactive
            ("CAUSE", "A traffic surge on order-front exhausted the database.", ["E8", "E7"]),  # flat
            ("SYMPTOM", "Most of the load of the top query is IO wait: 30.4 of 31.2 AAS.", ["E5"]),  # CPU
            ("IMPACT", "The p95 latency of order-front rose to about 2,880 seconds.", ["E6"]),  # unit
            ("SYMPTOM", "Latency of order-front rose well before the CPU credits ran out.", ["E6", "E1"]),  # order
            ("SYMPTOM", "Database connections reached 1,000.", ["E7"]),  # 100
            ("IMPACT", "The pool errors of order-front started at 06:24.", ["E9"]),  # 07:24
        ],
    },
    {
        "run": "policy-label",
        "coverage": OK,
        "evidence": [
            ("E1", L, "cart-api", "1,922 x ERROR cart-api between 2026-05-05T15:32:16Z and 2026-05-05T16:05:44Z: redis: dial tcp <ip>:6379: i/o timeout (for example: redis: dial tcp 10.40.7.12:6379: i/o timeout)"),
            ("E2", C, "object/session-redis-allow", "change at 2026-05-05T15:31:50Z: networkpolicy session-redis-allow edited by noor.haddad@shop.example: app allowed on port 6379 changed from cart-api to cart-svc"),
            ("E3", C, "app/session-redis", "app session-redis (namespace shop): 1 pod: 1 Running and Ready, 0 restarts, on node shop-n4"),
            ("E4", M, "session-redis", "connected_clients of session-redis: first 48 at 2026-05-05T15:00:00Z, last 6 at 2026-05-05T16:10:00Z, min 5 at 2026-05-05T15:58:00Z, max 51 at 2026-05-05T15:14:00Z, mean 25.2, 71 points, falling, changed at 2026-05-05T15:32:00Z from about 48 to about 6"),
            ("E5", M, "session-redis", "used_memory of session-redis (bytes): first 943718400 at 2026-05-05T15:00:00Z, last 944766976 at 2026-05-05T16:10:00Z, min 941621248 at 2026-05-05T15:21:00Z, max 946864128 at 2026-05-05T15:49:00Z, mean 944000000, 71 points, flat"),
            ("E6", C, "app/cart-api", "app cart-api (namespace shop): 6 pods: 6 Running and Ready, 0 restarts, on nodes shop-n1, shop-n2, shop-n4"),
            ("E7", C, "app/cart-api", "app cart-api: calls price-api, session-redis"),
            ("E8", M, "cart-api", "cart-api-success_rate: first 0.998 at 2026-05-05T15:00:00Z, last 0.62 at 2026-05-05T16:10:00Z, min 0.58 at 2026-05-05T15:51:00Z, max 0.999 at 2026-05-05T15:08:00Z, mean 0.793, 71 points, falling, changed at 2026-05-05T15:32:00Z from about 0.998 to about 0.62"),
            ("E9", L, "cni-agent", "3,870 x INFO cni-agent between 2026-05-05T15:31:58Z and 2026-05-05T16:05:47Z: policy verdict DROPPED from shop/cart-api to shop/session-redis port 6379"),
            ("E10", L, "price-api", "1 x INFO price-api at 2026-05-05T15:50:00Z: health check passed"),
        ],
        "claims": [
            ("CAUSE", "The network policy session-redis-allow was edited at 15:31:50 so that it allows cart-svc instead of cart-api, and since then the traffic from cart-api to session-redis is dropped.", ["E2", "E9"]),
            ("SYMPTOM", "cart-api logged 1,922 timeouts when connecting to Redis on port 6379.", ["E1"]),
            ("SYMPTOM", "The CNI agent logged 3,870 policy drops from cart-api to session-redis.", ["E9"]),
            ("SYMPTOM", "The first drop was logged eight seconds after the policy was edited.", ["E9", "E2"]),
            ("SYMPTOM", "The connections time out; they are not refused.", ["E1"]),
            ("SYMPTOM", "The number of clients connected to session-redis fell from about 48 to about 6 at 15:32.", ["E4"]),
            ("SYMPTOM", "session-redis lost almost 90% of its connected clients.", ["E4"]),
            ("RULED_OUT", "session-redis is up: its only pod is ready and has not restarted.", ["E3"]),
            ("RULED_OUT", "Memory of session-redis was flat at about 900 MiB.", ["E5"]),
            ("SYMPTOM", "cart-api depends on session-redis and price-api.", ["E7"]),
            ("IMPACT", "The success rate of cart-api dropped from 99.8% to 62%.", ["E8"]),
            ("RULED_OUT", "price-api passed its health check at 15:50, in the middle of the incident.", ["E10", "E1"]),
            ("RULED_OUT", "All six pods of cart-api are running and ready.", ["E6"]),
        ],
        "false": [
            ("CAUSE", "The network policy was changed to allow cart-api instead of cart-svc.", ["E2"]),  # direction
            ("CAUSE", "session-redis crashed, so cart-api could not connect.", ["E3", "E1"]),  # 0 restarts
            ("SYMPTOM", "Traffic from session-redis to cart-api was dropped by policy.", ["E9"]),  # direction
            ("SYMPTOM", "Redis refused the connections of cart-api.", ["E1"]),  # i/o timeout
            ("SYMPTOM", "cart-api timed out on port 6397.", ["E1"]),  # 6379
            ("SYMPTOM", "The number of clients connected to session-redis rose from about 6 to about 48.", ["E4"]),  # direction
            ("IMPACT", "The success rate of cart-api dropped to 26%.", ["E8"]),  # 62
            ("SYMPTOM", "The policy was edited after the first timeout of cart-api.", ["E2", "E1"]),  # order
            ("SYMPTOM", "The dropped connections went from cart-api to price-api.", ["E9"]),  # entity
            ("CAUSE", "cart-api has no ready pods.", ["E6"]),  # 6 of 6
        ],
    },
    {
        "run": "renamed-key",
        "coverage": OK,
        "evidence": [
            ("E1", C, "job/payout-batch-29317", "job payout-batch-29317 (namespace fin): Failed, 0 of 1 completions, 4 failed pods, backoff limit 3, command: /app/payout --date yesterday"),
            ("E2", C, "pod/payout-batch-29317-m4k2h", "pod payout-batch-29317-m4k2h (namespace fin, app payout-batch): container payout terminated Error, exit code 78, 0 restarts, command: /app/payout --date yesterday"),
            ("E3", L, "payout-batch", "4 x ERROR payout-batch between 2026-09-30T01:00:07Z and 2026-09-30T01:05:21Z: config: BANK_API_URL is not set, stopping"),
            ("E4", C, "object/payout-env", "change at 2026-09-29T14:36:15Z: configmap payout-env edited by helm-bot: key BANK_API_URL renamed to BANK_BASE_URL"),
            ("E5", L, "payout-batch", "1 x INFO payout-batch at 2026-09-29T01:02:44Z: paid out 1,316 merchants, total 412,880.15 EUR"),
            ("E6", A, "payout-batch", 'alert "PayoutJobFailed" is firing since 2026-09-30T01:06:00Z, severity critical: job fin/payout-batch-29317 failed'),
            ("E7", L, "support-desk", "27 x INFO support-desk between 2026-09-30T06:12:00Z and 2026-09-30T08:47:00Z: ticket <num>: payout not received (for example: ticket 60331: payout not received)"),
            ("E8", C, "app/bank-proxy", "app bank-proxy (namespace fin): 2 pods: 2 Running and Ready, 0 restarts, on nodes fin-n1, fin-n2"),
            ("E9", C, "node/fin-n2", "node fin-n2: is Ready, no pressure, allocatable 7.9 CPU, 30.1Gi memory"),
            ("E10", C, "object/payout-batch", "change at 2026-09-15T10:00:00Z: deploy: payout-batch 4.0.1 -> 4.0.2: logging, by pipeline-fin"),
        ],
        "claims": [
            ("SYMPTOM", "The job payout-batch-29317 failed after four of its pods had failed.", ["E1"]),
            ("CAUSE", "The key BANK_API_URL in the configmap payout-env was renamed to BANK_BASE_URL on 29 September, so payout-batch finds it unset and stops.", ["E4", "E3"]),
            ("RULED_OUT", "The run of the night before succeeded and paid out 1,316 merchants.", ["E5"]),
            ("SYMPTOM", "The key was renamed between the last successful run and the failed one.", ["E4", "E5", "E3"]),
            ("SYMPTOM", "The payout container ended with exit code 78.", ["E2"]),
            ("SYMPTOM", "The job reached none of its completions and has a backoff limit of 3.", ["E1"]),
            ("SYMPTOM", "The four errors were logged within little more than five minutes.", ["E3"]),
            ("SYMPTOM", "The alert PayoutJobFailed fired less than a minute after the last error.", ["E6", "E3"]),
            ("IMPACT", "27 support tickets report that a payout was not received.", ["E7"]),
            ("IMPACT", "The first ticket came in about five hours after the job failed.", ["E7", "E6"]),
            ("RULED_OUT", "bank-proxy is healthy, with both pods ready and no restarts.", ["E8"]),
            ("RULED_OUT", "payout-batch 4.0.2 was deployed about two weeks before the failure and changed only logging.", ["E10", "E3"]),
        ],
        "false": [
            ("CAUSE", "The key BANK_BASE_URL was renamed to BANK_API_URL.", ["E4"]),  # direction
            ("SYMPTOM", "payout-batch stops because BANK_API_KEY is not set.", ["E3"]),  # URL
            ("SYMPTOM", "The payout container ended with exit code 87.", ["E2"]),  # 78
            ("SYMPTOM", "The run of the night before failed as well.", ["E5"]),  # paid out
            ("SYMPTOM", "The job has a backoff limit of 4.", ["E1"]),  # 3
            ("SYMPTOM", "The key was renamed after the job had failed.", ["E4", "E3"]),  # order
            ("CAUSE", "The payouts failed because bank-proxy was down.", ["E8", "E1"]),  # healthy
            ("IMPACT", "All 1,316 merchants opened a support ticket.", ["E5", "E7"]),  # 27
            ("SYMPTOM", "The run of 29 September paid out 1,361 merchants.", ["E5"]),  # 1,316
            ("CAUSE", "pipeline-fin renamed the key in payout-env.", ["E4", "E10"]),  # helm-bot
        ],
    },
    {
        "run": "cache-evictions",
        "coverage": OK,
        "evidence": [
            ("E1", M, "hot-cache", "evicted_keys_per_second of hot-cache: first 0 at 2026-12-01T09:00:00Z, last 620 at 2026-12-01T10:10:00Z, min 0 at 2026-12-01T09:00:00Z, max 655 at 2026-12-01T10:02:00Z, mean 383, 71 points, rising, changed at 2026-12-01T09:26:00Z from about 0 to about 610"),
            ("E2", M, "hot-cache", "used_memory of hot-cache (bytes): first 3758096384 at 2026-12-01T09:00:00Z, last 4294967296 at 2026-12-01T10:10:00Z, min 3754950656 at 2026-12-01T09:02:00Z, max 4294967296 at 2026-12-01T09:26:00Z, mean 4190000000, 71 points, rising"),
            ("E3", L, "hot-cache", "1 x INFO hot-cache at 2026-12-01T08:55:10Z: maxmemory 4gb, maxmemory-policy allkeys-lru"),
            ("E4", M, "hot-cache", "cache_hit_ratio of hot-cache: first 0.97 at 2026-12-01T09:00:00Z, last 0.58 at 2026-12-01T10:10:00Z, min 0.55 at 2026-12-01T09:59:00Z, max 0.98 at 2026-12-01T09:11:00Z, mean 0.737, 71 points, falling, changed at 2026-12-01T09:27:00Z from about 0.97 to about 0.59"),
            ("E5", M, "item-db", "ReadIOPS of item-db (Count/Second, Average): first 900 at 2026-12-01T09:00:00Z, last 6900 at 2026-12-01T10:10:00Z, min 870 at 2026-12-01T09:07:00Z, max 7200 at 2026-12-01T10:04:00Z, mean 4500, 71 points, rising, changed at 2026-12-01T09:28:00Z from about 900 to about 6900"),
            ("E6", M, "item-api", "latency_p95 of item-api (Milliseconds): first 35 at 2026-12-01T09:00:00Z, last 420 at 2026-12-01T10:10:00Z, min 33 at 2026-12-01T09:05:00Z, max 455 at 2026-12-01T10:05:00Z, mean 258, 71 points, rising, changed at 2026-12-01T09:29:00Z from about 35 to about 415"),
            ("E7", C, "object/item-api", "change at 2026-12-01T09:08:20Z: deploy: item-api 11.4.0 -> 11.5.0: caches rendered HTML with each item, by pipeline-shop"),
            ("E8", L, "item-api", "71 x WARN item-api between 2026-12-01T09:12:00Z and 2026-12-01T10:08:15Z: cache value of <num> KB exceeds <num> KB (for example: cache value of 310 KB exceeds 64 KB)"),
            ("E9", M, "item-api", "requests_per_second of item-api: first 1190 at 2026-12-01T09:00:00Z, last 1210 at 2026-12-01T10:10:00Z, min 1150 at 2026-12-01T09:33:00Z, max 1240 at 2026-12-01T09:18:00Z, mean 1200, 71 points, flat"),
            ("E10", C, "app/hot-cache", "app hot-cache (namespace shop): 1 pod: 1 Running and Ready, 0 restarts, on node shop-m3"),
        ],
        "claims": [
            ("CAUSE", "item-api 11.5.0, deployed at 09:08, caches rendered HTML with each item; this filled hot-cache to its 4 GiB limit and it began to evict keys.", ["E7", "E2", "E3", "E1"]),
            ("SYMPTOM", "hot-cache reached its memory limit of 4 GB at 09:26.", ["E2", "E3"]),
            ("SYMPTOM", "Evictions started at 09:26, in the same minute in which memory reached its maximum.", ["E1", "E2"]),
            ("SYMPTOM", "The cache hit ratio fell from 97% to 59%.", ["E4"]),
            ("SYMPTOM", "The share of cache misses rose from about 3% to about 41%.", ["E4"]),
            ("SYMPTOM", "Read IOPS on item-db increased more than sevenfold, from about 900 to about 6,900.", ["E5"]),
            ("SYMPTOM", "Reads on item-db rose one minute after the hit ratio fell.", ["E5", "E4"]),
            ("IMPACT", "The p95 latency of item-api rose from about 35 ms to about 415 ms, roughly twelve times.", ["E6"]),
            ("RULED_OUT", "Traffic was flat at about 1,200 requests per second, which rules out a surge.", ["E9"]),
            ("RULED_OUT", "hot-cache did not restart, so the cache was not emptied by a restart.", ["E10"]),
            ("SYMPTOM", "About 18 minutes passed between the deployment and the first evictions.", ["E7", "E1"]),
            ("SYMPTOM", "item-api warned 71 times that a cache value was too large.", ["E8"]),
            ("SYMPTOM", "The eviction policy of hot-cache is allkeys-lru.", ["E3"]),
        ],
        "false": [
            ("SYMPTOM", "The memory limit of hot-cache is 8 GB.", ["E3"]),  # 4
            ("SYMPTOM", "The cache hit ratio rose from 59% to 97%.", ["E4"]),  # direction
            ("SYMPTOM", "Read IOPS of hot-cache rose to about 6,900.", ["E5"]),  # entity: item-db
            ("SYMPTOM", "Evictions started at 09:16.", ["E1"]),  # 09:26
            ("SYMPTOM", "Evictions began only after the latency of item-api had risen.", ["E1", "E6"]),  # order
            ("CAUSE", "A surge of requests to item-api overloaded item-db.", ["E9", "E5"]),  # flat
            ("IMPACT", "The p95 latency of item-api rose to about 415 seconds.", ["E6"]),  # unit
            ("SYMPTOM", "The eviction policy of hot-cache is noeviction.", ["E3"]),  # allkeys-lru
            ("CAUSE", "hot-cache restarted at 09:26 and lost its contents.", ["E10", "E2"]),  # 0 restarts
            ("CAUSE", "item-api was rolled back from 11.5.0 to 11.4.0 at 09:08.", ["E7"]),  # direction
        ],
    },
]
