# ruff: noqa: E501  (one evidence line or claim a line: they are read as data)
# fmt: off
"""Blind runs 4 of 5, by a writer who had not seen the verifier: measured on first contact, then added here."""

OK = [("query_logs", "OK", 9000), ("query_metrics", "OK", 20), ("query_cluster", "OK", 40), ("query_alerts", "OK", 3)]
L, M, C, A = "query_logs", "query_metrics", "query_cluster", "query_alerts"

RUNS = [
    {
        "run": "resolver-throttled",
        "coverage": OK,
        "evidence": [
            ("E1", L, "order-gateway", "4,118 x ERROR order-gateway between 2026-09-14T08:21:07Z and 2026-09-14T08:58:43Z: dial tcp: lookup <*> on <ip>:53: read udp: i/o timeout (for example: dial tcp: lookup ledger.core.svc on 10.96.0.10:53: read udp: i/o timeout)"),
            ("E2", M, "coredns", "container_cpu_cfs_throttled_ratio of coredns: first 0.02 at 2026-09-14T08:00:00Z, last 0.81 at 2026-09-14T09:00:00Z, min 0.01 at 2026-09-14T08:06:00Z, max 0.88 at 2026-09-14T08:34:00Z, mean 0.533, 61 points, rising, changed at 2026-09-14T08:20:00Z from about 0.02 to about 0.79"),
            ("E3", C, "object/coredns", "change at 2026-09-14T08:18:45Z: config: CPU limit of coredns lowered from 500m to 100m, by platform-bot"),
            ("E4", C, "app/coredns", "app coredns (namespace kube-system): 2 pods: 2 Running and Ready, 0 restarts, on nodes pool-b-11, pool-b-14"),
            ("E5", M, "coredns", "coredns_dns_requests_per_second of coredns: first 640 at 2026-09-14T08:00:00Z, last 655 at 2026-09-14T09:00:00Z, min 612 at 2026-09-14T08:41:00Z, max 671 at 2026-09-14T08:12:00Z, mean 643, 61 points, flat"),
            ("E6", M, "order-gateway", "order-gateway-success_rate: first 0.999 at 2026-09-14T08:00:00Z, last 0.874 at 2026-09-14T09:00:00Z, min 0.861 at 2026-09-14T08:39:00Z, max 1 at 2026-09-14T08:03:00Z, mean 0.916, 61 points, falling, changed at 2026-09-14T08:21:00Z from about 0.999 to about 0.872"),
            ("E7", C, "app/ledger", "app ledger (namespace core): 4 pods: 4 Running and Ready, 0 restarts, on nodes pool-b-12, pool-b-14"),
            ("E8", A, "order-gateway", 'alert "OrderGatewayErrors" is firing since 2026-09-14T08:26:00Z, severity critical, value 0.128: more than 5% of requests fail'),
        ],
        "claims": [
            ("SYMPTOM", "order-gateway logged 4,118 DNS lookup timeouts between 08:21 and 08:58.", ["E1"]),
            ("CAUSE", "Lowering the CPU limit of coredns from 500m to 100m at 08:18:45 left the resolver throttled, so name lookups from order-gateway time out.", ["E3", "E2", "E1"]),
            ("SYMPTOM", "CPU throttling of coredns jumped from about 2% to about 79% at 08:20.", ["E2"]),
            ("SYMPTOM", "The throttling set in just over a minute after the limit was lowered.", ["E2", "E3"]),
            ("SYMPTOM", "The first lookup timeout came after the limit change, not before it.", ["E1", "E3"]),
            ("RULED_OUT", "DNS query volume did not grow: it stayed near 640 requests per second.", ["E5"]),
            ("RULED_OUT", "coredns did not crash; both of its pods are ready and have no restarts.", ["E4"]),
            ("IMPACT", "The success rate of order-gateway fell from 99.9% to roughly 87%.", ["E6"]),
            ("IMPACT", "About one request in eight fails.", ["E6", "E8"]),
            ("RULED_OUT", "The ledger service itself is healthy, with four of four pods ready.", ["E7"]),
            ("SYMPTOM", "The alert fired five minutes after the success rate dropped.", ["E8", "E6"]),
            ("SYMPTOM", "At its worst, order-gateway succeeded on 86.1% of requests, at 08:39.", ["E6"]),
            ("SYMPTOM", "The new CPU limit is a fifth of the old one.", ["E3"]),
        ],
        "false": [
            ("SYMPTOM", "order-gateway logged 4,181 DNS lookup timeouts.", ["E1"]),  # digit: 4,118
            ("CAUSE", "The CPU limit of coredns was raised from 100m to 500m.", ["E3"]),  # direction
            ("SYMPTOM", "The CPU limit of coredns was lowered at 08:28:45.", ["E3"]),  # minute: 08:18:45
            ("CAUSE", "DNS query volume doubled and overloaded coredns.", ["E5", "E2"]),  # flat
            ("SYMPTOM", "One of the two coredns pods restarted.", ["E4"]),  # negation: 0 restarts
            ("IMPACT", "The success rate of order-gateway fell from 99.9% to 78.2%.", ["E6"]),  # digits: 87.2
            ("SYMPTOM", "CPU throttling of order-gateway jumped to about 79% at 08:20.", ["E2"]),  # entity: coredns
            ("CAUSE", "The limit of coredns was lowered in response to the lookup timeouts.", ["E1", "E3"]),  # order: change first
            ("CAUSE", "Lookups of order-gateway fail because ledger has no ready pods.", ["E1", "E7"]),  # 4 of 4 ready
        ],
    },
    {
        "run": "migration-lock",
        "coverage": OK,
        "evidence": [
            ("E1", L, "fares-db", "1 x INFO fares-db at 2026-05-21T13:04:12Z: process 8123 still waiting for AccessExclusiveLock on relation bookings after 1000 ms. Process holding the lock: 7710. Wait queue: 8123, 8140, 8151."),
            ("E2", L, "fares-db", "1 x INFO fares-db at 2026-05-21T13:03:58Z: session 7710 (user report_ro, application monthly-export) idle in transaction since 2026-05-21T12:31:40Z, last statement: SELECT * FROM bookings WHERE created_at >= $1"),
            ("E3", L, "schema-runner", "1 x INFO schema-runner at 2026-05-21T13:04:11Z: pid 8123: ALTER TABLE bookings ADD COLUMN seat_class text"),
            ("E4", L, "booking-api", "886 x ERROR booking-api between 2026-05-21T13:04:41Z and 2026-05-21T13:19:20Z: canceling statement due to statement timeout: INSERT INTO bookings <*> (for example: canceling statement due to statement timeout: INSERT INTO bookings (id, fare) VALUES ($1, $2))"),
            ("E5", M, "fares-db", "DatabaseConnections of fares-db (Count, Average): first 64 at 2026-05-21T12:50:00Z, last 71 at 2026-05-21T13:30:00Z, min 61 at 2026-05-21T12:58:00Z, max 400 at 2026-05-21T13:12:00Z, mean 173, 41 points, varying"),
            ("E6", L, "fares-db", "1 x INFO fares-db at 2026-05-21T13:19:22Z: terminated session 7710 by admin request from dana.ruiz@fares.example"),
            ("E7", L, "schema-runner", "1 x INFO schema-runner at 2026-05-21T13:19:23Z: ALTER TABLE bookings done in 912s"),
            ("E8", M, "fares-db", "CPUUtilization of fares-db (Percent, Average): first 31 at 2026-05-21T12:50:00Z, last 34 at 2026-05-21T13:30:00Z, min 12 at 2026-05-21T13:11:00Z, max 38 at 2026-05-21T13:21:00Z, mean 27, 41 points, varying"),
        ],
        "claims": [
            ("CAUSE", "Session 7710, left idle in transaction by monthly-export, held a lock on bookings, and the ALTER TABLE of process 8123 had to wait for it.", ["E1", "E2", "E3"]),
            ("CAUSE", "Process 7710 blocked process 8123.", ["E1"]),
            ("SYMPTOM", "Processes 8140 and 8151 were queued behind 8123.", ["E1"]),
            ("SYMPTOM", "The blocking session had been idle in transaction for more than half an hour when the ALTER TABLE started.", ["E1", "E2", "E3"]),
            ("IMPACT", "Inserts of booking-api ran into the statement timeout 886 times in about 15 minutes.", ["E4"]),
            ("SYMPTOM", "The ALTER TABLE on bookings took 912 seconds.", ["E7"]),
            ("SYMPTOM", "The ALTER TABLE finished one second after session 7710 was terminated.", ["E6", "E7"]),
            ("SYMPTOM", "dana.ruiz@fares.example had the blocking session terminated at 13:19.", ["E6", "E1"]),
            ("SYMPTOM", "Connections to fares-db peaked at 400 at 13:12 and were back to 71 by 13:30.", ["E5"]),
            ("RULED_OUT", "CPU was not the bottleneck: it never exceeded 38%.", ["E8"]),
            ("SYMPTOM", "CPU of fares-db was lowest, at 12%, at 13:11.", ["E8"]),
            ("SYMPTOM", "The last statement timeout was logged two seconds before session 7710 was terminated.", ["E4", "E6"]),
            ("SYMPTOM", "monthly-export was connected as user report_ro.", ["E2"]),
        ],
        "false": [
            ("CAUSE", "Process 8123 blocked process 7710.", ["E1"]),  # who blocked whom
            ("CAUSE", "The blocking session 7710 belonged to schema-runner.", ["E1", "E2"]),  # entity: monthly-export
            ("SYMPTOM", "The timeouts of booking-api began before the ALTER TABLE was started.", ["E4", "E3"]),  # order
            ("SYMPTOM", "The ALTER TABLE on bookings took 912 milliseconds.", ["E7"]),  # unit: s
            ("SYMPTOM", "Connections to fares-db were still at 400 at 13:30.", ["E5"]),  # 71
            ("CAUSE", "Saturated CPU on fares-db caused the statement timeouts.", ["E8", "E4"]),  # max 38%
            ("SYMPTOM", "Session 7710 had been idle in transaction since 12:13.", ["E2"]),  # 12:31
            ("SYMPTOM", "The ALTER TABLE on bookings failed.", ["E7"]),  # done
            ("SYMPTOM", "Process 8140 held the lock on bookings.", ["E1"]),  # 7710
            ("IMPACT", "886 SELECT statements of booking-api were cancelled.", ["E4"]),  # INSERT
        ],
    },
    {
        "run": "thumbnail-oom",
        "coverage": OK,
        "evidence": [
            ("E1", C, "pod/thumb-maker-6c9d7fd5b8-qk2vx", "pod thumb-maker-6c9d7fd5b8-qk2vx (namespace media, app thumb-maker): container worker last terminated OOMKilled, exit code 137, 11 restarts, memory limit 768Mi, CPU limit 1"),
            ("E2", C, "app/thumb-maker", "app thumb-maker (namespace media): 3 pods: 2 Running and Ready, 1 CrashLoopBackOff, 17 restarts, on nodes farm-3, farm-7"),
            ("E3", M, "thumb-maker", "container_memory_working_set_bytes of thumb-maker (bytes): first 402653184 at 2026-07-02T15:00:00Z, last 801112064 at 2026-07-02T16:00:00Z, min 398458880 at 2026-07-02T15:04:00Z, max 805306368 at 2026-07-02T15:52:00Z, mean 601000000, 61 points, rising"),
            ("E4", C, "object/thumb-maker", "change at 2026-07-02T15:11:20Z: config: decode_threads of thumb-maker raised from 4 to 16, by lena.voss@media.example"),
            ("E5", L, "thumb-maker", "37 x WARN thumb-maker between 2026-07-02T15:24:03Z and 2026-07-02T15:58:49Z: decode buffers <num> MB, heap <num> MB of <num> MB (for example: decode buffers 412 MB, heap 741 MB of 768 MB)"),
            ("E6", L, "kubernetes-events", "17 x WARN kubernetes-events between 2026-07-02T15:27:40Z and 2026-07-02T15:57:12Z: OOMKilling Pod/<*>: Memory cgroup out of memory: Killed process <num> (worker) (for example: OOMKilling Pod/thumb-maker-6c9d7fd5b8-qk2vx: Memory cgroup out of memory: Killed process 4471 (worker))"),
            ("E7", M, "thumb-maker", "thumb_queue_length of thumb-maker: first 22 at 2026-07-02T15:00:00Z, last 3140 at 2026-07-02T16:00:00Z, min 15 at 2026-07-02T15:09:00Z, max 3140 at 2026-07-02T16:00:00Z, mean 896, 61 points, rising, changed at 2026-07-02T15:29:00Z from about 24 to about 1710"),
            ("E8", C, "node/farm-3", "node farm-3: is Ready, no pressure, allocatable 15.8 CPU, 60.9Gi memory"),
            ("E9", L, "gallery-web", "1,204 x WARN gallery-web between 2026-07-02T15:31:15Z and 2026-07-02T15:59:50Z: thumbnail missing for album <num>, showing placeholder (for example: thumbnail missing for album 7719, showing placeholder)"),
            ("E10", M, "upload-api", "uploads_per_minute of upload-api: first 118 at 2026-07-02T15:00:00Z, last 121 at 2026-07-02T16:00:00Z, min 104 at 2026-07-02T15:37:00Z, max 129 at 2026-07-02T15:22:00Z, mean 117, 61 points, flat"),
        ],
        "claims": [
            ("CAUSE", "Raising decode_threads from 4 to 16 at 15:11 pushed the memory of thumb-maker up to its 768Mi limit, so its workers are OOM-killed.", ["E4", "E3", "E1"]),
            ("SYMPTOM", "One of the three thumb-maker pods is in CrashLoopBackOff.", ["E2"]),
            ("SYMPTOM", "Pod thumb-maker-6c9d7fd5b8-qk2vx has restarted 11 times and was last OOMKilled with exit code 137.", ["E1"]),
            ("SYMPTOM", "Worker processes were killed for lack of memory 17 times between 15:27 and 15:57.", ["E6"]),
            ("SYMPTOM", "The first OOM kill came about 16 minutes after the configuration change.", ["E6", "E4"]),
            ("SYMPTOM", "Memory use of thumb-maker nearly doubled, from 384 MiB to 764 MiB.", ["E3"]),
            ("SYMPTOM", "Memory use peaked at 768 MiB, which is exactly the memory limit.", ["E3", "E1"]),
            ("SYMPTOM", "The queue grew from 22 to 3,140 within an hour.", ["E7"]),
            ("SYMPTOM", "The number of decode threads was quadrupled.", ["E4"]),
            ("RULED_OUT", "Node farm-3 is ready and not short of memory.", ["E8"]),
            ("RULED_OUT", "Uploads were steady at around 117 per minute, so a surge is not the cause.", ["E10"]),
            ("IMPACT", "gallery-web showed a placeholder instead of a thumbnail 1,204 times.", ["E9"]),
            ("SYMPTOM", "11 of the 17 restarts of thumb-maker belong to one pod.", ["E1", "E2"]),
        ],
        "false": [
            ("CAUSE", "decode_threads of thumb-maker was raised from 4 to 6.", ["E4"]),  # 16
            ("SYMPTOM", "The worker of thumb-maker-6c9d7fd5b8-qk2vx was terminated with exit code 143.", ["E1"]),  # 137
            ("SYMPTOM", "The memory limit of the worker is 786Mi.", ["E1"]),  # 768Mi
            ("SYMPTOM", "At 15:00 thumb-maker already used 768 MiB of memory.", ["E3", "E1"]),  # limit for usage: 384 MiB
            ("SYMPTOM", "Two of the three thumb-maker pods are in CrashLoopBackOff.", ["E2"]),  # one
            ("CAUSE", "A surge of uploads drove thumb-maker out of memory.", ["E10", "E6"]),  # flat
            ("CAUSE", "Node farm-3 ran out of memory.", ["E8"]),  # no pressure
            ("SYMPTOM", "The queue began to grow before the configuration was changed.", ["E7", "E4"]),  # order
            ("IMPACT", "gallery-web was down from 15:31 to 15:59.", ["E9"]),  # exaggeration: placeholders
            ("CAUSE", "lena.voss@media.example raised decode_threads of upload-api from 4 to 16.", ["E4"]),  # entity
        ],
    },
    {
        "run": "edge-certificate",
        "coverage": OK,
        "evidence": [
            ("E1", L, "edge-proxy", "2,745 x ERROR edge-proxy between 2026-02-11T00:00:03Z and 2026-02-11T00:48:22Z: TLS handshake with client failed: remote error: certificate expired, sni <*> (for example: TLS handshake with client failed: remote error: certificate expired, sni api.parcel.example)"),
            ("E2", C, "certificate/parcel-api-tls", "certificate parcel-api-tls (namespace edge): not ready, expired at 2026-02-11T00:00:00Z, issuer acme-prod, hosts api.parcel.example, track.parcel.example"),
            ("E3", L, "cert-manager", "96 x ERROR cert-manager between 2026-01-12T02:10:00Z and 2026-02-10T23:40:00Z: renewal of parcel-api-tls failed: acme: dns-01 challenge: AccessDenied: not authorized to perform route53:ChangeResourceRecordSets"),
            ("E4", C, "object/cert-manager", "change at 2026-01-11T16:22:07Z: iam: policy dns-writer detached from role cert-manager, by tom.akers@parcel.example"),
            ("E5", M, "edge-proxy", "edge_requests_per_second of edge-proxy: first 512 at 2026-02-10T23:30:00Z, last 38 at 2026-02-11T00:45:00Z, min 35 at 2026-02-11T00:12:00Z, max 530 at 2026-02-10T23:51:00Z, mean 228, 76 points, falling, changed at 2026-02-11T00:00:00Z from about 515 to about 37"),
            ("E6", C, "app/parcel-api", "app parcel-api (namespace parcel): 5 pods: 5 Running and Ready, 0 restarts, on nodes pn-01, pn-02, pn-06"),
            ("E7", L, "cert-manager", "1 x INFO cert-manager at 2026-02-11T00:47:50Z: certificate parcel-api-tls issued, valid until 2026-05-12"),
            ("E8", C, "object/cert-manager", "change at 2026-02-11T00:44:30Z: iam: policy dns-writer attached to role cert-manager, by ines.moreau@parcel.example"),
            ("E9", A, "edge-proxy", 'alert "EdgeTrafficDrop" is firing since 2026-02-11T00:05:00Z, severity critical, value 36: fewer than 100 requests per second'),
        ],
        "claims": [
            ("CAUSE", "The certificate parcel-api-tls expired at midnight UTC, so clients abort the TLS handshake with edge-proxy.", ["E2", "E1"]),
            ("CAUSE", "Renewal failed because the role cert-manager had lost the policy dns-writer on 11 January.", ["E4", "E3"]),
            ("SYMPTOM", "cert-manager tried in vain to renew the certificate 96 times before it expired.", ["E3", "E2"]),
            ("SYMPTOM", "The renewal errors started about ten hours after the policy was detached.", ["E3", "E4"]),
            ("IMPACT", "Traffic at the edge dropped by about 93%, from about 515 to about 37 requests per second.", ["E5"]),
            ("SYMPTOM", "edge-proxy logged 2,745 failed TLS handshakes.", ["E1"]),
            ("IMPACT", "The expired certificate covers two hosts, api.parcel.example and track.parcel.example.", ["E2"]),
            ("RULED_OUT", "parcel-api itself was fine: all five pods were ready.", ["E6"]),
            ("SYMPTOM", "ines.moreau@parcel.example attached the policy again at 00:44:30.", ["E8"]),
            ("SYMPTOM", "A new certificate was issued a little over three minutes after the policy was attached again.", ["E7", "E8"]),
            ("SYMPTOM", "The last failed handshake was logged 32 seconds after the new certificate was issued.", ["E1", "E7"]),
            ("SYMPTOM", "The traffic alert fired five minutes after the certificate expired.", ["E9", "E2"]),
            ("SYMPTOM", "The new certificate is valid until 12 May 2026.", ["E7"]),
        ],
        "false": [
            ("CAUSE", "The certificate parcel-api-tls expired at 00:47.", ["E2"]),  # 00:00
            ("CAUSE", "ines.moreau@parcel.example detached the policy dns-writer from the role cert-manager.", ["E4", "E8"]),  # entity: tom.akers
            ("CAUSE", "Renewal failed because the ACME server could not be reached.", ["E3"]),  # AccessDenied
            ("SYMPTOM", "cert-manager failed to renew the certificate 69 times.", ["E3"]),  # 96
            ("SYMPTOM", "The policy was detached after the certificate had expired.", ["E4", "E2"]),  # order
            ("IMPACT", "Traffic at the edge dropped by about 73%.", ["E5"]),  # 93%
            ("CAUSE", "Renewal failed on the http-01 challenge.", ["E3"]),  # dns-01
            ("SYMPTOM", "The new certificate is valid until 12 March 2026.", ["E7"]),  # May
            ("SYMPTOM", "The pods of parcel-api restarted five times.", ["E6"]),  # 0 restarts
        ],
    },
    {
        "run": "autoscaler-ceiling",
        "coverage": OK,
        "evidence": [
            ("E1", M, "voucher-api", "requests_per_second of voucher-api: first 210 at 2026-10-08T17:00:00Z, last 1480 at 2026-10-08T18:00:00Z, min 204 at 2026-10-08T17:03:00Z, max 1520 at 2026-10-08T17:41:00Z, mean 1051, 61 points, rising, changed at 2026-10-08T17:20:00Z from about 212 to about 1470"),
            ("E2", C, "hpa/voucher-api", "hpa voucher-api (namespace promo): 8 of at most 8 replicas, wants 21, cpu 96% of target 60%"),
            ("E3", M, "voucher-api", "latency_p95_seconds of voucher-api (seconds): first 0.18 at 2026-10-08T17:00:00Z, last 4.6 at 2026-10-08T18:00:00Z, min 0.17 at 2026-10-08T17:06:00Z, max 5.2 at 2026-10-08T17:44:00Z, mean 3.04, 61 points, rising, changed at 2026-10-08T17:22:00Z from about 0.18 to about 4.7"),
            ("E4", L, "voucher-api", "9,310 x ERROR voucher-api between 2026-10-08T17:23:11Z and 2026-10-08T17:59:58Z: request shed: 256 in flight, limit 256"),
            ("E5", C, "object/autumn20", "change at 2026-10-08T17:18:30Z: campaign: push notification autumn20 sent to 1.4 million devices, by crm-scheduler"),
            ("E6", C, "app/voucher-api", "app voucher-api (namespace promo): 8 pods: 8 Running and Ready, 0 restarts, on nodes hz-21, hz-22, hz-25"),
            ("E7", M, "voucher-db", "DatabaseConnections of voucher-db (Count, Average): first 88 at 2026-10-08T17:00:00Z, last 121 at 2026-10-08T18:00:00Z, min 84 at 2026-10-08T17:09:00Z, max 126 at 2026-10-08T17:47:00Z, mean 110, 61 points, rising"),
            ("E8", M, "voucher-db", "CPUUtilization of voucher-db (Percent, Average): first 24 at 2026-10-08T17:00:00Z, last 41 at 2026-10-08T18:00:00Z, min 22 at 2026-10-08T17:05:00Z, max 44 at 2026-10-08T17:42:00Z, mean 36, 61 points, rising"),
            ("E9", C, "object/voucher-api", "change at 2026-10-08T14:02:10Z: deploy: voucher-api 3.3.0 -> 3.3.1: fix typo in mail, by pipeline-9"),
        ],
        "claims": [
            ("CAUSE", "A push notification to 1.4 million devices at 17:18 brought voucher-api about seven times its usual traffic, and it could not scale beyond 8 replicas.", ["E5", "E1", "E2"]),
            ("SYMPTOM", "The request rate of voucher-api went from about 212 to about 1,470 per second at 17:20.", ["E1"]),
            ("SYMPTOM", "The autoscaler sits at its maximum of 8 replicas although it wants 21.", ["E2"]),
            ("SYMPTOM", "The autoscaler wants 13 replicas more than its maximum allows.", ["E2"]),
            ("IMPACT", "p95 latency of voucher-api rose from 0.18 s to 4.6 s.", ["E3"]),
            ("SYMPTOM", "Latency peaked at 5.2 seconds at 17:44.", ["E3"]),
            ("IMPACT", "voucher-api shed 9,310 requests because 256 were already in flight.", ["E4"]),
            ("SYMPTOM", "Load shedding began less than five minutes after the push notification was sent.", ["E4", "E5"]),
            ("RULED_OUT", "voucher-db was not saturated; its CPU stayed at or below 44%.", ["E8"]),
            ("RULED_OUT", "The deployment of 3.3.1 came more than three hours before the request rate rose.", ["E9", "E1"]),
            ("RULED_OUT", "No pod crashed: all eight are ready and none has restarted.", ["E6"]),
            ("SYMPTOM", "Traffic had not come down by 18:00: it was still 1,480 requests per second.", ["E1"]),
            ("SYMPTOM", "CPU stands at 96% against a target of 60%.", ["E2"]),
            ("SYMPTOM", "Latency rose two minutes after the request rate did.", ["E3", "E1"]),
        ],
        "false": [
            ("SYMPTOM", "The autoscaler wants 12 replicas.", ["E2"]),  # 21
            ("SYMPTOM", "The autoscaler may go up to 21 replicas.", ["E2"]),  # limit is 8
            ("IMPACT", "p95 latency of voucher-api rose to 4.6 ms.", ["E3"]),  # unit: s
            ("SYMPTOM", "The request rate of voucher-api doubled.", ["E1"]),  # seven times
            ("SYMPTOM", "The push notification was sent after the traffic had already risen.", ["E5", "E1"]),  # order
            ("CAUSE", "voucher-api was slow because the CPU of voucher-db was saturated.", ["E8", "E3"]),  # 44%
            ("CAUSE", "Latency rose right after the deployment of voucher-api 3.3.1.", ["E9", "E3"]),  # 3h20 later
            ("SYMPTOM", "Three of the eight voucher-api pods are not ready.", ["E6"]),  # all ready
            ("IMPACT", "voucher-db shed 9,310 requests.", ["E4"]),  # entity
            ("SYMPTOM", "Traffic was back to its usual level by 18:00.", ["E1"]),  # 1480
        ],
    },
    {
        "run": "missing-tag",
        "coverage": OK,
        "evidence": [
            ("E1", C, "pod/invoice-pdf-7d5c6b9f44-z8mrw", 'pod invoice-pdf-7d5c6b9f44-z8mrw (namespace billing, app invoice-pdf): image registry.ledger.example/invoice-pdf:v5.2.0 cannot be pulled, waiting with ImagePullBackOff, message: Failed to pull image "registry.ledger.example/invoice-pdf:v5.2.0": rpc error: code = NotFound desc = manifest unknown'),
            ("E2", C, "deployment/invoice-pdf", "deployment invoice-pdf (namespace billing): 3/3 ready, its pods: 3 Running, 1 ImagePullBackOff"),
            ("E3", C, "object/invoice-pdf", "change at 2026-03-25T09:40:55Z: deploy: invoice-pdf 5.1.4 -> 5.2.0: new footer, by pipeline-41"),
            ("E4", L, "build-runner", "1 x ERROR build-runner at 2026-03-25T09:38:20Z: push registry.ledger.example/invoice-pdf:v5.2.0 failed: quota of project billing exceeded, 50 GiB of 50 GiB used"),
            ("E5", L, "invoice-pdf", "612 x INFO invoice-pdf between 2026-03-25T09:00:02Z and 2026-03-25T10:14:57Z: rendered invoice <num> in <dur> (for example: rendered invoice 88121 in 240ms)"),
            ("E6", M, "invoice-pdf", "invoice-pdf-success_rate: first 1 at 2026-03-25T09:00:00Z, last 1 at 2026-03-25T10:15:00Z, min 0.998 at 2026-03-25T09:22:00Z, max 1 at 2026-03-25T09:00:00Z, mean 0.9999, 76 points, flat"),
            ("E7", L, "kubernetes-events", "23 x WARN kubernetes-events between 2026-03-25T09:41:12Z and 2026-03-25T10:13:40Z: Failed Pod/invoice-pdf-7d5c6b9f44-z8mrw: Error: ImagePullBackOff"),
            ("E8", A, "invoice-pdf", 'alert "DeploymentRolloutStuck" is firing since 2026-03-25T09:51:00Z, severity warning: deployment billing/invoice-pdf has not progressed for 10 minutes'),
        ],
        "claims": [
            ("CAUSE", "Image v5.2.0 of invoice-pdf could not be pushed because the registry quota of project billing was used up, so the new pod cannot pull it.", ["E4", "E1"]),
            ("SYMPTOM", "The rollout of invoice-pdf is stuck.", ["E8"]),
            ("SYMPTOM", "Pod invoice-pdf-7d5c6b9f44-z8mrw waits in ImagePullBackOff.", ["E1"]),
            ("SYMPTOM", "The registry says that the manifest of v5.2.0 is unknown.", ["E1"]),
            ("SYMPTOM", "The push of the image failed at 09:38, before the deployment at 09:40.", ["E4", "E3"]),
            ("SYMPTOM", "Project billing has used all of its 50 GiB in the registry.", ["E4"]),
            ("IMPACT", "Users were hardly affected: the success rate never fell below 99.8%.", ["E6"]),
            ("IMPACT", "Three pods of invoice-pdf are still running and ready.", ["E2"]),
            ("RULED_OUT", "invoice-pdf kept working and rendered 612 invoices between 09:00 and 10:14.", ["E5"]),
            ("SYMPTOM", "23 pull failures were recorded for the new pod.", ["E7"]),
            ("SYMPTOM", "The alert came about ten minutes after the deployment.", ["E8", "E3"]),
            ("SYMPTOM", "The first pull failure was recorded 17 seconds after the deployment.", ["E7", "E3"]),
        ],
        "false": [
            ("CAUSE", "The push of the image failed because the credentials were rejected.", ["E4"]),  # quota
            ("SYMPTOM", "Image v5.1.4 of invoice-pdf cannot be pulled.", ["E1"]),  # v5.2.0
            ("SYMPTOM", "Pod invoice-pdf-7d5c6b9f44-z8mrw is in CrashLoopBackOff.", ["E1"]),  # ImagePullBackOff
            ("IMPACT", "All pods of invoice-pdf are down.", ["E2"]),  # 3 running
            ("SYMPTOM", "The push of the image failed after the deployment.", ["E4", "E3"]),  # order
            ("SYMPTOM", "The registry quota of project billing is 5 GiB.", ["E4"]),  # 50
            ("IMPACT", "No invoices were rendered after the deployment.", ["E5", "E3"]),  # until 10:14
            ("SYMPTOM", "pipeline-41 rolled invoice-pdf back from 5.2.0 to 5.1.4.", ["E3"]),  # direction
            ("SYMPTOM", "32 pull failures were recorded for the new pod.", ["E7"]),  # 23
        ],
    },
    {
        "run": "purge-lag",
        "coverage": OK,
        "evidence": [
            ("E1", M, "stats-replica-2", "ReplicaLag of stats-replica-2 (Seconds, Maximum): first 0.9 at 2026-08-06T02:00:00Z, last 1310 at 2026-08-06T03:00:00Z, min 0.7 at 2026-08-06T02:08:00Z, max 1310 at 2026-08-06T03:00:00Z, mean 514, 61 points, rising, changed at 2026-08-06T02:21:00Z from about 1 to about 790"),
            ("E2", M, "stats-prod", "WriteIOPS of stats-prod (Count/Second, Average): first 1900 at 2026-08-06T02:00:00Z, last 14800 at 2026-08-06T03:00:00Z, min 1850 at 2026-08-06T02:04:00Z, max 15200 at 2026-08-06T02:33:00Z, mean 10430, 61 points, rising, changed at 2026-08-06T02:20:00Z from about 1900 to about 14700"),
            ("E3", L, "stats-prod", "2026-08-06T02:20:00Z INFO stats-prod: top SQL by load 9.7 AAS, 880 calls/s, waits IO:XactSync=6.1, CPU=2.4: DELETE FROM page_views WHERE day < $1"),
            ("E4", L, "job-scheduler", "1 x INFO job-scheduler at 2026-08-06T02:19:40Z: started purge-page-views, retention changed from 400 to 90 days"),
            ("E5", M, "stats-replica-2", "CPUUtilization of stats-replica-2 (Percent, Average): first 18 at 2026-08-06T02:00:00Z, last 97 at 2026-08-06T03:00:00Z, min 17 at 2026-08-06T02:07:00Z, max 98 at 2026-08-06T02:44:00Z, mean 68.7, 61 points, rising, changed at 2026-08-06T02:21:00Z from about 18 to about 96"),
            ("E6", M, "stats-replica-1", "ReplicaLag of stats-replica-1 (Seconds, Maximum): first 0.8 at 2026-08-06T02:00:00Z, last 1.1 at 2026-08-06T03:00:00Z, min 0.6 at 2026-08-06T02:11:00Z, max 2.3 at 2026-08-06T02:37:00Z, mean 1, 61 points, flat"),
            ("E7", L, "dash-web", "420 x WARN dash-web between 2026-08-06T02:31:00Z and 2026-08-06T02:59:12Z: stale read: data of stats-replica-2 is <num> s old (for example: stale read: data of stats-replica-2 is 744 s old)"),
            ("E8", L, "rds-events", "2026-08-05T21:15:00Z INFO rds-events: stats-replica-2: DB instance class changed from db.r6g.2xlarge to db.r6g.large"),
            ("E9", M, "stats-replica-2", "FreeStorageSpace of stats-replica-2 (Bytes, Minimum): first 322122547200 at 2026-08-06T02:00:00Z, last 322122547200 at 2026-08-06T03:00:00Z, min 322122547200 at 2026-08-06T02:00:00Z, max 322122547200 at 2026-08-06T02:00:00Z, mean 322122547200, 61 points, flat"),
        ],
        "claims": [
            ("CAUSE", "The purge of page_views, started at 02:19:40 after retention was cut from 400 to 90 days, writes so much that stats-replica-2 falls behind.", ["E4", "E3", "E2", "E1"]),
            ("SYMPTOM", "Replication lag on stats-replica-2 reached 1,310 seconds at 03:00, nearly 22 minutes.", ["E1"]),
            ("SYMPTOM", "The lag of stats-replica-2 was still growing at the end of the window.", ["E1"]),
            ("SYMPTOM", "Write IOPS on stats-prod rose almost eightfold, from about 1,900 to about 14,700.", ["E2"]),
            ("SYMPTOM", "The lag set in one minute after the writes rose.", ["E1", "E2"]),
            ("SYMPTOM", "At 02:20 the statement with the highest load was a DELETE on page_views, at 880 calls per second.", ["E3"]),
            ("SYMPTOM", "That DELETE waited mostly on IO:XactSync.", ["E3"]),
            ("RULED_OUT", "stats-replica-1 kept up; its lag never exceeded 2.3 seconds.", ["E6"]),
            ("SYMPTOM", "stats-replica-2 is close to saturation, with CPU at 97%.", ["E5"]),
            ("CAUSE", "stats-replica-2 had been moved to a smaller instance class, db.r6g.large, the evening before.", ["E8"]),
            ("IMPACT", "dash-web logged 420 stale reads from stats-replica-2.", ["E7"]),
            ("RULED_OUT", "stats-replica-2 did not run out of disk: 300 GiB stayed free.", ["E9"]),
        ],
        "false": [
            ("SYMPTOM", "Replication lag on stats-replica-1 reached 1,310 seconds.", ["E1", "E6"]),  # entity
            ("SYMPTOM", "Replication lag on stats-replica-2 reached 1,310 milliseconds.", ["E1"]),  # unit
            ("CAUSE", "Retention was changed from 90 to 400 days.", ["E4"]),  # direction
            ("SYMPTOM", "stats-replica-2 was catching up by 03:00.", ["E1"]),  # growing
            ("SYMPTOM", "The lag set in before the writes on stats-prod rose.", ["E1", "E2"]),  # order
            ("SYMPTOM", "CPU of stats-prod is at 97%.", ["E5"]),  # entity
            ("SYMPTOM", "The DELETE on page_views ran 88 times per second.", ["E3"]),  # 880
            ("CAUSE", "stats-replica-2 lags because it ran out of storage.", ["E9", "E1"]),  # 300 GiB free
            ("SYMPTOM", "stats-replica-2 was moved from db.r6g.large to db.r6g.2xlarge.", ["E8"]),  # direction
            ("SYMPTOM", "Both replicas lag by many minutes.", ["E1", "E6"]),  # only replica-2
        ],
    },
]
