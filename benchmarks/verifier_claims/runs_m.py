# ruff: noqa: E501  (one evidence line or claim a line: they are read as data)
# fmt: off
"""Blind runs 2 of 5, by a writer who had not seen the verifier: measured on first contact, then added here."""

RUNS = [
    {
        "run": "broker-memory-alarm",
        "evidence": [
            ("E1", "query_logs", "rabbit-1", "1 x WARN rabbit-1 at 2026-09-02T05:48:33Z: memory resource limit alarm set on node rabbit@rabbit-1: publishers will be blocked until this alarm clears"),
            ("E2", "query_metrics", "rabbit-1", "rabbitmq_process_resident_memory_bytes of rabbit-1 (bytes): first 1717986918 at 2026-09-02T05:00:00Z, last 3435973837 at 2026-09-02T06:20:00Z, min 1610612736 at 2026-09-02T05:07:00Z, max 3489660928 at 2026-09-02T05:58:00Z, mean 2750000000, 81 points, rising, changed at 2026-09-02T05:31:00Z from about 1700000000 to about 3200000000"),
            ("E3", "query_metrics", "rabbit-1", "rabbitmq_queue_messages_unacked of rabbit-1 {queue=invoice-events}: first 36 at 2026-09-02T05:00:00Z, last 198400 at 2026-09-02T06:20:00Z, min 22 at 2026-09-02T05:12:00Z, max 198400 at 2026-09-02T06:20:00Z, mean 76000, 81 points, rising, changed at 2026-09-02T05:29:00Z from about 40 to about 120000"),
            ("E4", "query_cluster", "object/invoice-consumer", "change at 2026-09-02T05:26:10Z: deploy: invoice-consumer 2.8.1 -> 2.9.0: prefetch unlimited, by pipeline-5"),
            ("E5", "query_logs", "order-api", "3,377 x ERROR order-api between 2026-09-02T05:48:41Z and 2026-09-02T06:19:58Z: publish to exchange invoices timed out after <dur> (for example: publish to exchange invoices timed out after 5s)"),
            ("E6", "query_cluster", "app/rabbit", "app rabbit (namespace mq): 3 pods: 3 Running and Ready, 0 restarts, on nodes mq-1, mq-2, mq-3"),
            ("E7", "query_metrics", "rabbit-1", "rabbitmq_disk_space_available_bytes of rabbit-1 (bytes): first 85899345920 at 2026-09-02T05:00:00Z, last 84825604096 at 2026-09-02T06:20:00Z, min 84825604096 at 2026-09-02T06:20:00Z, max 85899345920 at 2026-09-02T05:00:00Z, mean 85300000000, 81 points, flat"),
            ("E8", "query_metrics", "order-api", "messages_published_per_second of order-api: first 210 at 2026-09-02T05:00:00Z, last 0 at 2026-09-02T06:20:00Z, min 0 at 2026-09-02T05:49:00Z, max 222 at 2026-09-02T05:33:00Z, mean 129, 81 points, falling, changed at 2026-09-02T05:49:00Z from about 211 to about 0"),
            ("E9", "query_metrics", "invoice-consumer", "messages_acked_per_second of invoice-consumer: first 209 at 2026-09-02T05:00:00Z, last 64 at 2026-09-02T06:20:00Z, min 58 at 2026-09-02T05:52:00Z, max 219 at 2026-09-02T05:20:00Z, mean 118, 81 points, falling, changed at 2026-09-02T05:28:00Z from about 210 to about 66"),
            ("E10", "query_alerts", "rabbit", 'alert "RabbitMemoryAlarm" is firing since 2026-09-02T05:50:00Z, severity critical, service rabbit: a memory alarm is set'),
            ("E11", "query_logs", "shop-web", "1,102 x ERROR shop-web between 2026-09-02T05:48:50Z and 2026-09-02T06:19:57Z: checkout failed: order-api answered <num> (for example: checkout failed: order-api answered 504)"),
            ("E12", "query_metrics", "rabbit-2", "rabbitmq_process_resident_memory_bytes of rabbit-2 (bytes): first 1610612736 at 2026-09-02T05:00:00Z, last 1717986918 at 2026-09-02T06:20:00Z, min 1610612736 at 2026-09-02T05:00:00Z, max 1717986918 at 2026-09-02T06:11:00Z, mean 1660000000, 81 points, flat"),
            ("E13", "query_cluster", "configmap/rabbit-config", "configmap rabbit-config (namespace mq): keys vm_memory_high_watermark.absolute=3GiB, disk_free_limit.absolute=5GiB"),
        ],
        "coverage": [("query_logs", "OK", 15092), ("query_metrics", "OK", 27), ("query_cluster", "OK", 19), ("query_alerts", "OK", 4)],
        "claims": [
            ("CAUSE", "The removal of the prefetch limit in invoice-consumer 2.9.0, deployed at 05:26:10, led to a pile-up of unacknowledged messages on invoice-events.", ["E4", "E3"]),
            ("CAUSE", "The blocking of publishers is the consequence of the memory alarm on rabbit-1, whose 3 GiB watermark had been crossed.", ["E1", "E2", "E13"]),
            ("SYMPTOM", "Resident memory on rabbit-1 doubled from 1.6 to 3.2 GiB.", ["E2"]),
            ("SYMPTOM", "The backlog of unacked messages went from a few dozen to nearly 200,000.", ["E3"]),
            ("SYMPTOM", "Publishing by order-api came to a complete standstill at 05:49.", ["E8"]),
            ("SYMPTOM", "By that point the ack rate had already been down for some twenty minutes; it lost more than two thirds (209/s to 64/s).", ["E9", "E8"]),
            ("IMPACT", "Shoppers could not check out: 1,102 failures were seen by shop-web, the first of them 17 seconds after the alarm.", ["E11", "E1"]),
            ("IMPACT", "On the side of order-api, over three thousand publishes to the exchange invoices timed out.", ["E5"]),
            ("RULED_OUT", "A lack of disk on rabbit-1 is excluded, with no fewer than 79 GiB available at any time.", ["E7"]),
            ("RULED_OUT", "No comparable growth on rabbit-2, which never used more than 1.6 GiB.", ["E12"]),
            ("RULED_OUT", "No restart of any of the three broker pods.", ["E6"]),
            ("SYMPTOM", "Between rollout and alarm there were a little more than 22 minutes.", ["E4", "E1"]),
            ("SYMPTOM", "The alert trailed the broker's own alarm by less than a minute and a half.", ["E10", "E1"]),
        ],
        "false": [
            ("CAUSE", "The publishers blocked rabbit-1.", ["E1"]),  # the broker blocks the publishers
            ("CAUSE", "invoice-consumer 2.9.0 introduced a prefetch limit.", ["E4"]),  # prefetch unlimited
            ("CAUSE", "A disk alarm was set on rabbit-1.", ["E1"]),  # a memory alarm
            ("SYMPTOM", "The memory alarm was set on rabbit-2.", ["E1"]),  # rabbit-1
            ("SYMPTOM", "Resident memory on rabbit-1 amounts to 3.2 MiB.", ["E2"]),  # GiB
            ("SYMPTOM", "The publishing rate of order-api fell by half.", ["E8"]),  # to zero
            ("SYMPTOM", "The decline of the ack rate followed the memory alarm.", ["E9", "E1"]),  # preceded it by 20 minutes
            ("IMPACT", "order-api logged 1,102 publish timeouts.", ["E5"]),  # 3,377
            ("RULED_OUT", "invoice-consumer acknowledges as fast as before.", ["E9"]),  # 64 against 209
            ("SYMPTOM", "The memory alarm cleared at 05:48:33.", ["E1"]),  # it was set
            ("IMPACT", "order-api failed because shop-web answered with 504.", ["E11"]),  # swapped
            ("SYMPTOM", "rabbit-1 has its memory capped at 5 GiB.", ["E13"]),  # 5GiB is the disk free limit
        ],
    },
    {
        "run": "overlay-mtu",
        "evidence": [
            ("E1", "query_cluster", "object/overlay-b", "change at 2026-10-11T11:00:44Z: network: MTU of overlay-b lowered from 8950 to 1450, by netops-bot"),
            ("E2", "query_metrics", "zb-node-3", "node_network_drop_packets_per_second of zb-node-3: first 0 at 2026-10-11T10:40:00Z, last 412 at 2026-10-11T11:39:00Z, min 0 at 2026-10-11T10:40:00Z, max 467 at 2026-10-11T11:21:00Z, mean 261, 60 points, rising, changed at 2026-10-11T11:01:00Z from about 0 to about 400"),
            ("E3", "query_metrics", "za-node-1", "node_network_drop_packets_per_second of za-node-1: first 0 at 2026-10-11T10:40:00Z, last 0 at 2026-10-11T11:39:00Z, min 0 at 2026-10-11T10:40:00Z, max 0 at 2026-10-11T10:40:00Z, mean 0, 60 points, flat"),
            ("E4", "query_logs", "media-api", "266 x ERROR media-api between 2026-10-11T11:01:12Z and 2026-10-11T11:38:50Z: upload to blob-store failed: context deadline exceeded after 60s"),
            ("E5", "query_metrics", "blob-store", "probe_latency_milliseconds of blob-store (Milliseconds, Average) {path=zb-za}: first 1.1 at 2026-10-11T10:40:00Z, last 1.2 at 2026-10-11T11:39:00Z, min 1 at 2026-10-11T10:52:00Z, max 1.6 at 2026-10-11T11:18:00Z, mean 1.18, 60 points, flat"),
            ("E6", "query_metrics", "media-api", "tcp_retransmit_ratio of media-api (ratio): first 0.001 at 2026-10-11T10:40:00Z, last 0.087 at 2026-10-11T11:39:00Z, min 0.001 at 2026-10-11T10:40:00Z, max 0.094 at 2026-10-11T11:21:00Z, mean 0.056, 60 points, rising, changed at 2026-10-11T11:01:00Z from about 0.001 to about 0.085"),
            ("E7", "query_cluster", "service/blob-store", "service blob-store (namespace media): 4 ready endpoints, answers at blob-store.media:9000 from za-node-1, zb-node-3"),
            ("E8", "query_cluster", "app/blob-store", "app blob-store (namespace media): 4 pods: 4 Running and Ready, 0 restarts, on nodes za-node-1, za-node-2"),
            ("E9", "query_cluster", "app/media-api", "app media-api (namespace media): 2 pods: 2 Running and Ready, 0 restarts, on node zb-node-3"),
            ("E10", "query_alerts", "media-api", 'alert "UploadFailures" is pending since 2026-10-11T11:37:00Z, severity warning, value 1.2e-01: more than 10 % of the uploads fail'),
            ("E11", "query_metrics", "blob-store", "disk_utilization of blob-store (percent): first 22 at 2026-10-11T10:40:00Z, last 23 at 2026-10-11T11:39:00Z, min 22 at 2026-10-11T10:40:00Z, max 23 at 2026-10-11T11:30:00Z, mean 22.3, 60 points, flat"),
            ("E12", "query_logs", "media-api", "31 x INFO media-api between 2026-10-11T10:41:19Z and 2026-10-11T11:00:31Z: upload of <size> finished in <dur> (for example: upload of 48MB finished in 3.1s)"),
            ("E13", "query_logs", "thumb-worker", "88 x INFO thumb-worker between 2026-10-11T11:02:00Z and 2026-10-11T11:38:00Z: stored thumbnail of <size> (for example: stored thumbnail of 900B)"),
        ],
        "coverage": [("query_logs", "OK", 8044), ("query_metrics", "OK", 51), ("query_cluster", "OK", 28), ("query_alerts", "OK", 3)],
        "claims": [
            ("CAUSE", "Since the reduction of the MTU on overlay-b from 8950 to 1450 at 11:00:44, packets have been dropped on zb-node-3, and uploads to blob-store have been timing out.", ["E1", "E2", "E4"]),
            ("SYMPTOM", "Packet drops on zb-node-3: none at the beginning, some 400 per second after 11:01.", ["E2"]),
            ("SYMPTOM", "The share of retransmitted segments increased from 0.1 % to 8.7 %, i.e. by a factor of 87.", ["E6"]),
            ("SYMPTOM", "The first failed upload was recorded 28 seconds after the MTU change.", ["E4", "E1"]),
            ("SYMPTOM", "The last completed upload dates from 11:00:31, which is 13 seconds before the MTU change.", ["E12", "E1"]),
            ("IMPACT", "Failure of 266 uploads in a little over 37 minutes.", ["E4"]),
            ("RULED_OUT", "Small objects still get through: thumb-worker stored 88 thumbnails during the same half hour.", ["E13"]),
            ("RULED_OUT", "Not one packet was dropped on za-node-1.", ["E3"]),
            ("RULED_OUT", "Unavailability of blob-store is excluded, as it has four ready endpoints and answers from za-node-1 as well as from zb-node-3.", ["E7"]),
            ("RULED_OUT", "Latency on the path zb-za hardly moved (1.0 to 1.6 ms).", ["E5"]),
            ("RULED_OUT", "blob-store is far from full: less than a quarter of its disk is in use.", ["E11"]),
            ("SYMPTOM", "The alert on failed uploads has not got beyond the pending state.", ["E10"]),
            ("SYMPTOM", "Both media-api pods are on zb-node-3, whereas those of blob-store are spread over za-node-1 and za-node-2.", ["E9", "E8"]),
        ],
        "false": [
            ("CAUSE", "The MTU of overlay-b was raised from 1450 to 8950.", ["E1"]),  # lowered
            ("SYMPTOM", "za-node-1 drops more than 400 packets per second.", ["E2"]),  # zb-node-3
            ("SYMPTOM", "blob-store failed to upload to media-api 266 times.", ["E4"]),  # swapped
            ("SYMPTOM", "Latency between the zones rose tenfold.", ["E5"]),  # flat
            ("IMPACT", "UploadFailures has been firing since 11:37.", ["E10"]),  # pending
            ("IMPACT", "Thumbnails could not be stored either.", ["E13"]),  # 88 stored
            ("SYMPTOM", "87 % of all segments were retransmitted.", ["E6"]),  # 8.7 %
            ("CAUSE", "blob-store's pods crashed.", ["E8"]),  # 0 restarts
            ("SYMPTOM", "Uploads had been failing before the MTU was changed.", ["E1", "E4"]),  # 28 s after
            ("IMPACT", "Not a single upload succeeded in the period under review.", ["E4"]),  # 31 finished (E12)
            ("CAUSE", "The uploads fail because blob-store has run out of disk.", ["E4"]),  # 23 % used (E11)
            ("SYMPTOM", "The uploads were aborted after 60 ms.", ["E4"]),  # 60 s
        ],
    },
    {
        "run": "redis-keys",
        "evidence": [
            ("E1", "query_logs", "sess-redis", "18 x INFO sess-redis between 2026-11-05T20:10:04Z and 2026-11-05T20:44:07Z: slowlog: KEYS session:* took <dur>, client 10.4.7.19 (for example: slowlog: KEYS session:* took 2.9s, client 10.4.7.19)"),
            ("E2", "query_cluster", "pod/admin-report-66d4f9b7c-7hh2x", "pod admin-report-66d4f9b7c-7hh2x (namespace ops, app admin-report): phase Running, 1/1 containers ready, 0 restarts, pod IP 10.4.7.19, on node r-5, age 35m"),
            ("E3", "query_metrics", "sess-redis", "redis_command_duration_seconds of sess-redis (seconds) {quantile=0.99}: first 0.0008 at 2026-11-05T19:50:00Z, last 2.6 at 2026-11-05T20:45:00Z, min 0.0007 at 2026-11-05T19:58:00Z, max 3 at 2026-11-05T20:32:00Z, mean 1.5, 56 points, rising, changed at 2026-11-05T20:10:00Z from about 0.0008 to about 2.4"),
            ("E4", "query_metrics", "sess-redis", "redis_connected_clients of sess-redis: first 210 at 2026-11-05T19:50:00Z, last 640 at 2026-11-05T20:45:00Z, min 205 at 2026-11-05T20:02:00Z, max 655 at 2026-11-05T20:40:00Z, mean 450, 56 points, rising, changed at 2026-11-05T20:12:00Z from about 210 to about 600"),
            ("E5", "query_metrics", "sess-redis", "CPUUtilization of sess-redis (Percent, Average): first 22 at 2026-11-05T19:50:00Z, last 99 at 2026-11-05T20:45:00Z, min 20 at 2026-11-05T19:57:00Z, max 100 at 2026-11-05T20:18:00Z, mean 70, 56 points, rising, changed at 2026-11-05T20:10:00Z from about 22 to about 98"),
            ("E6", "query_metrics", "sess-redis", "redis_memory_used_bytes of sess-redis (bytes): first 2254857830 at 2026-11-05T19:50:00Z, last 2262000000 at 2026-11-05T20:45:00Z, min 2241000000 at 2026-11-05T20:01:00Z, max 2271000000 at 2026-11-05T20:30:00Z, mean 2256000000, 56 points, flat"),
            ("E7", "query_metrics", "sess-redis", "redis_keys of sess-redis: first 4102000 at 2026-11-05T19:50:00Z, last 4111000 at 2026-11-05T20:45:00Z, min 4096000 at 2026-11-05T20:08:00Z, max 4115000 at 2026-11-05T20:36:00Z, mean 4105000, 56 points, flat"),
            ("E8", "query_logs", "login-web", "1,455 x ERROR login-web between 2026-11-05T20:10:31Z and 2026-11-05T20:44:30Z: session lookup: redis timeout after 1s"),
            ("E9", "query_metrics", "login-web", "login_success_ratio of login-web (ratio): first 0.997 at 2026-11-05T19:50:00Z, last 0.71 at 2026-11-05T20:45:00Z, min 0.64 at 2026-11-05T20:32:00Z, max 0.999 at 2026-11-05T20:03:00Z, mean 0.81, 56 points, falling, changed at 2026-11-05T20:10:00Z from about 0.997 to about 0.72"),
            ("E10", "query_metrics", "sess-redis", "redis_evicted_keys_per_second of sess-redis: first 0 at 2026-11-05T19:50:00Z, last 0 at 2026-11-05T20:45:00Z, min 0 at 2026-11-05T19:50:00Z, max 0 at 2026-11-05T19:50:00Z, mean 0, 56 points, flat"),
            ("E11", "query_alerts", "sess-redis", 'alert "SessionRedisLatency" is firing since 2026-11-05T20:13:00Z, severity critical, value 2.5e+00: p99 above 50 ms'),
            ("E12", "query_alerts", "sess-redis", 'alert "SessionRedisMemory" is inactive: memory above 80 % of maxmemory'),
            ("E13", "query_cluster", "object/admin-report", "change at 2026-11-05T20:09:20Z: deploy: admin-report 0.4.0 -> 0.5.0: lists active sessions every 2 minutes, by dev.ito@club.example"),
            ("E14", "query_cluster", "app/sess-redis", "app sess-redis (namespace club): 1 pod: 1 Running and Ready, 0 restarts, on node r-2"),
            ("E15", "query_metrics", "cart-redis", "redis_command_duration_seconds of cart-redis (seconds) {quantile=0.99}: first 0.0009 at 2026-11-05T19:50:00Z, last 0.0009 at 2026-11-05T20:45:00Z, min 0.0008 at 2026-11-05T20:15:00Z, max 0.00097 at 2026-11-05T20:29:00Z, mean 0.0009, 56 points, flat"),
        ],
        "coverage": [("query_logs", "OK", 5120), ("query_metrics", "OK", 30), ("query_cluster", "OK", 21), ("query_alerts", "OK", 6)],
        "claims": [
            ("CAUSE", "The newly deployed admin-report 0.5.0 lists the active sessions every two minutes by way of KEYS session:*, a call that took 2.9 s in one instance.", ["E13", "E1", "E2"]),
            ("SYMPTOM", "The client behind the KEYS calls, 10.4.7.19, is the pod admin-report-66d4f9b7c-7hh2x.", ["E1", "E2"]),
            ("SYMPTOM", "18 such calls were recorded in 34 minutes, one every two minutes.", ["E1"]),
            ("SYMPTOM", "Command time at p99 went up by three orders of magnitude, from below a millisecond to 2.6 s.", ["E3"]),
            ("SYMPTOM", "From 20:10 on, the CPU of sess-redis has been pegged at close to 100 %.", ["E5"]),
            ("SYMPTOM", "The number of clients connected to sess-redis roughly tripled.", ["E4"]),
            ("IMPACT", "More than one login in four fails, the success ratio being down to 71 %.", ["E9"]),
            ("IMPACT", "1,455 session look-ups by login-web ended in a Redis timeout.", ["E8"]),
            ("RULED_OUT", "No keys were evicted, nor did memory usage grow.", ["E10", "E6"]),
            ("RULED_OUT", "cart-redis is unaffected: its p99 remained below one millisecond.", ["E15"]),
            ("RULED_OUT", "The size of the data set is not a factor, the key count being constant at about 4.1 million.", ["E7"]),
            ("RULED_OUT", "There has been no restart of sess-redis.", ["E14"]),
            ("SYMPTOM", "The first KEYS call was logged 44 seconds after the deploy of 0.5.0.", ["E1", "E13"]),
            ("RULED_OUT", "Of the two alerts on sess-redis, the one on memory is inactive, whereas the one on latency has been firing since 20:13.", ["E12", "E11"]),
        ],
        "false": [
            ("CAUSE", "login-web issues the KEYS calls that block sess-redis.", ["E1", "E8"]),  # admin-report does (E2)
            ("CAUSE", "admin-report was rolled back to 0.4.0.", ["E13"]),  # upgraded to 0.5.0
            ("SYMPTOM", "cart-redis has a p99 of 2.6 s.", ["E3"]),  # sess-redis
            ("SYMPTOM", "The median command time reached 2.6 s.", ["E3"]),  # p99
            ("RULED_OUT", "The CPU of sess-redis stands at a comfortable 22 %.", ["E5"]),  # the first value; 99 % now
            ("CAUSE", "Evictions threw users out of their sessions.", ["E10"]),  # no evictions
            ("SYMPTOM", "The timeouts in login-web set in before the first KEYS call.", ["E8", "E1"]),  # 27 s after
            ("IMPACT", "No login succeeded after 20:10.", ["E9"]),  # 64 % and more did
            ("SYMPTOM", "SessionRedisMemory is firing.", ["E12"]),  # inactive
            ("SYMPTOM", "One KEYS call took 2.9 ms.", ["E1"]),  # 2.9 s
            ("CAUSE", "sess-redis was restarted at 20:10.", ["E14"]),  # 0 restarts
            ("RULED_OUT", "sess-redis is in good health: ready and without a restart.", ["E14"]),  # p99 2.6 s, CPU 99 % (E3, E5)
        ],
    },
    {
        "run": "pull-secret",
        "evidence": [
            ("E1", "query_cluster", "deployment/menu-api", "deployment menu-api (namespace kitchen): 2/4 ready, its pods: 2 Running, 2 ImagePullBackOff, Progressing is False: ProgressDeadlineExceeded"),
            ("E2", "query_cluster", "pod/menu-api-9f8c6d5b-w8rtz", "pod menu-api-9f8c6d5b-w8rtz (namespace kitchen, app menu-api): phase Pending, status ImagePullBackOff, waiting with ImagePullBackOff, 0/1 containers ready, 0 restarts, on node k-04, age 22m; the same for 1 more pod of it: menu-api-9f8c6d5b-lqv5n"),
            ("E3", "query_logs", "kubernetes-events", '14 x WARN kubernetes-events between 2026-12-01T08:31:20Z and 2026-12-01T08:52:48Z: Failed Pod/<id>: Failed to pull image "registry.kitchen.example/menu-api:5.3.1": 401 Unauthorized'),
            ("E4", "query_cluster", "secret/regcred", "secret regcred (namespace kitchen): changed at 2026-12-01T08:05:12Z, by rotation-job"),
            ("E5", "query_logs", "rotation-job", "1 x WARN rotation-job at 2026-12-01T08:05:12Z: new registry token for namespace kitchen has scope pull:payments only"),
            ("E6", "query_cluster", "object/menu-api", "change at 2026-12-01T08:30:58Z: deploy: menu-api 5.3.0 -> 5.3.1: allergen labels, by pipeline-204"),
            ("E7", "query_cluster", "app/payments-api", "app payments-api (namespace payments): 3 pods: 3 Running and Ready, 0 restarts, on nodes k-02, k-03"),
            ("E8", "query_metrics", "menu-api", "http_server_errors_ratio of menu-api (ratio): first 0.001 at 2026-12-01T08:00:00Z, last 0.001 at 2026-12-01T08:53:00Z, min 0.0005 at 2026-12-01T08:17:00Z, max 0.002 at 2026-12-01T08:44:00Z, mean 0.0011, 54 points, flat"),
            ("E9", "query_metrics", "menu-api", "cpu_utilization of menu-api (percent): first 48 at 2026-12-01T08:00:00Z, last 51 at 2026-12-01T08:53:00Z, min 46 at 2026-12-01T08:12:00Z, max 53 at 2026-12-01T08:47:00Z, mean 49.5, 54 points, flat"),
            ("E10", "query_metrics", "registry", "registry_http_responses_per_second of registry {code=5xx}: first 0 at 2026-12-01T08:00:00Z, last 0 at 2026-12-01T08:53:00Z, min 0 at 2026-12-01T08:00:00Z, max 0 at 2026-12-01T08:00:00Z, mean 0, 54 points, flat"),
            ("E11", "query_logs", "kubernetes-events", "2 x INFO kubernetes-events between 2026-12-01T08:31:02Z and 2026-12-01T08:31:04Z: Scheduled Pod/<id>: Successfully assigned kitchen/<id> to k-04 (for example: Scheduled Pod/menu-api-9f8c6d5b-w8rtz: Successfully assigned kitchen/menu-api-9f8c6d5b-w8rtz to k-04)"),
            ("E12", "lookup_knowledge", "Image pulls", "Image pulls > 401 Unauthorized: the usual cause is a pull secret that has expired", "GUIDANCE"),
            ("E13", "query_alerts", "menu-api", 'alert "RolloutStuck" is firing since 2026-12-01T08:41:00Z, severity warning, service menu-api: deployment does not progress'),
        ],
        "coverage": [("query_logs", "OK", 2140), ("query_metrics", "OK", 19), ("query_cluster", "OK", 37), ("query_alerts", "OK", 2)],
        "claims": [
            ("CAUSE", "The new pods cannot be started, since each attempt to pull menu-api:5.3.1 on record was answered with 401 Unauthorized.", ["E3", "E2"]),
            ("CAUSE", "The pull secret of the namespace kitchen was rotated at 08:05:12, and its new token is scoped to pull:payments only.", ["E4", "E5"]),
            ("SYMPTOM", "The rollout of 5.3.1 is stuck half-way, with two out of four pods ready.", ["E1", "E6"]),
            ("RULED_OUT", "Scheduling is not at issue: both new pods had been assigned to k-04 within six seconds of the deploy.", ["E11", "E6"]),
            ("SYMPTOM", "14 failed pulls of the image over some 21 minutes.", ["E3"]),
            ("SYMPTOM", "Almost 26 minutes lie between the rotation of the secret and the deploy.", ["E4", "E6"]),
            ("IMPACT", "No effect on requests so far: the error ratio of menu-api did not go beyond 0.2 %.", ["E8"]),
            ("RULED_OUT", "An outage of the registry is excluded, there having been no 5xx responses whatsoever.", ["E10"]),
            ("RULED_OUT", "This is not a crash loop, as menu-api-9f8c6d5b-w8rtz has zero restarts.", ["E2"]),
            ("SYMPTOM", "It took ten minutes from the deploy until RolloutStuck fired.", ["E13", "E6"]),
            ("RULED_OUT", "payments-api has its full complement of three pods.", ["E7"]),
            ("RULED_OUT", "CPU of menu-api is moderate, ranging from 46 to 53 %.", ["E9"]),
            ("SYMPTOM", "The same ImagePullBackOff afflicts a second pod, menu-api-9f8c6d5b-lqv5n.", ["E2"]),
        ],
        "false": [
            ("CAUSE", "The pull secret has expired.", ["E12", "E3"]),  # the runbook's guess; it was rotated with a wrong scope
            ("CAUSE", "The image tag 5.3.1 does not exist in the registry.", ["E3"]),  # 401, not 404
            ("SYMPTOM", "The image of payments-api cannot be pulled.", ["E3"]),  # menu-api's
            ("CAUSE", "The registry is down.", ["E3"]),  # it answers 401; no 5xx (E10)
            ("SYMPTOM", "All four pods of menu-api are in ImagePullBackOff.", ["E1"]),  # two
            ("SYMPTOM", "menu-api-9f8c6d5b-w8rtz is in CrashLoopBackOff.", ["E2"]),  # ImagePullBackOff
            ("CAUSE", "The new token permits pulls for kitchen only.", ["E5"]),  # for payments only
            ("SYMPTOM", "The deploy took place before the secret was rotated.", ["E4", "E6"]),  # after
            ("CAUSE", "No node had room for the new pods.", ["E2"]),  # assigned to k-04
            ("IMPACT", "The error ratio of menu-api reached 2 %.", ["E8"]),  # 0.2 %
            ("SYMPTOM", "RolloutStuck fired ten seconds after the deploy.", ["E13", "E6"]),  # ten minutes
            ("SYMPTOM", "The rollout of 5.3.1 has been completed.", ["E1", "E6"]),  # 2/4
        ],
    },
    {
        "run": "flood-stage",
        "evidence": [
            ("E1", "query_logs", "search-es-2", "1 x WARN search-es-2 at 2026-05-21T18:22:09Z: flood stage disk watermark [95%] exceeded on search-es-2, all indices on this node will be marked read-only"),
            ("E2", "query_metrics", "search-es-2", "disk_used_percent of search-es-2 (Percent, Maximum): first 81 at 2026-05-21T17:30:00Z, last 96 at 2026-05-21T18:50:00Z, min 81 at 2026-05-21T17:30:00Z, max 96 at 2026-05-21T18:26:00Z, mean 88.7, 81 points, rising, changed at 2026-05-21T18:01:00Z from about 82 to about 94"),
            ("E3", "query_metrics", "search-es-1", "disk_used_percent of search-es-1 (Percent, Maximum): first 61 at 2026-05-21T17:30:00Z, last 63 at 2026-05-21T18:50:00Z, min 61 at 2026-05-21T17:30:00Z, max 63 at 2026-05-21T18:41:00Z, mean 61.9, 81 points, flat"),
            ("E4", "query_logs", "catalog-indexer", "718 x ERROR catalog-indexer between 2026-05-21T18:22:15Z and 2026-05-21T18:50:40Z: index products: cluster_block_exception: blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block]"),
            ("E5", "query_logs", "search-es-master", "1 x INFO search-es-master at 2026-05-21T17:55:30Z: snapshot restore of products-2025 started, 310 GB, onto search-es-2"),
            ("E6", "query_cluster", "object/search-es", "change at 2026-05-21T17:55:02Z: job: restore of products-2025 requested, by li.wen@shop.example"),
            ("E7", "query_metrics", "catalog-api", "search_duration_seconds of catalog-api (seconds) {quantile=0.95}: first 0.12 at 2026-05-21T17:30:00Z, last 0.13 at 2026-05-21T18:50:00Z, min 0.11 at 2026-05-21T17:44:00Z, max 0.14 at 2026-05-21T18:12:00Z, mean 0.124, 81 points, flat"),
            ("E8", "query_logs", "catalog-api", "44 x WARN catalog-api between 2026-05-21T18:30:11Z and 2026-05-21T18:49:59Z: product <id> not in the index, falling back to the database (for example: product 88140 not in the index, falling back to the database)"),
            ("E9", "query_cluster", "app/search-es", "app search-es (namespace search): 3 pods: 3 Running and Ready, 0 restarts, on nodes s-1, s-2, s-3"),
            ("E10", "query_metrics", "catalog-indexer", "documents_indexed_per_second of catalog-indexer: first 130 at 2026-05-21T17:30:00Z, last 0 at 2026-05-21T18:50:00Z, min 0 at 2026-05-21T18:23:00Z, max 141 at 2026-05-21T17:48:00Z, mean 84, 81 points, falling, changed at 2026-05-21T18:23:00Z from about 130 to about 0"),
            ("E11", "query_alerts", "search-es-2", 'alert "EsDiskHigh" is firing since 2026-05-21T18:05:00Z, severity warning, value 9.1e+01: disk usage above 90 %'),
            ("E12", "query_cluster", "pvc/data-search-es-2", "pvc data-search-es-2 (namespace search): Bound, 2Ti, access modes RWO, storage class fast-ssd, used by search-es-2"),
            ("E13", "query_metrics", "search-es-2", "jvm_heap_used_percent of search-es-2 (Percent, Average): first 51 at 2026-05-21T17:30:00Z, last 54 at 2026-05-21T18:50:00Z, min 48 at 2026-05-21T17:52:00Z, max 57 at 2026-05-21T18:33:00Z, mean 52, 81 points, flat"),
        ],
        "coverage": [("query_logs", "OK", 11204), ("query_metrics", "OK", 42), ("query_cluster", "OK", 25), ("query_alerts", "OK", 5)],
        "claims": [
            ("CAUSE", "A restore of products-2025 (310 GB) onto search-es-2, requested at 17:55:02, pushed the node beyond its flood-stage watermark of 95 %.", ["E5", "E6", "E1"]),
            ("CAUSE", "With the indices on search-es-2 turned read-only, writing by catalog-indexer was no longer possible.", ["E1", "E4"]),
            ("SYMPTOM", "Disk usage of search-es-2 increased by 15 percentage points to 96 %.", ["E2"]),
            ("SYMPTOM", "The restored data amounts to about 14 % of the 2Ti volume.", ["E5", "E12"]),
            ("SYMPTOM", "Within a minute of the watermark warning, indexing had dropped to zero.", ["E10", "E1"]),
            ("IMPACT", "Rejection of 718 index operations between 18:22 and 18:51.", ["E4"]),
            ("IMPACT", "44 look-ups had to fall back to the database because the product was missing from the index.", ["E8"]),
            ("RULED_OUT", "Searching has stayed fast, with a p95 of 140 ms at most.", ["E7"]),
            ("RULED_OUT", "search-es-1 has ample space, at no more than 63 % of its disk.", ["E3"]),
            ("RULED_OUT", "Heap pressure is not a factor (48 to 57 %).", ["E13"]),
            ("RULED_OUT", "All three search-es pods are ready and without restarts.", ["E9"]),
            ("SYMPTOM", "A warning had been there 17 minutes earlier in the shape of EsDiskHigh.", ["E11", "E1"]),
            ("SYMPTOM", "The indexer received its first rejection six seconds after the watermark warning.", ["E4", "E1"]),
        ],
        "false": [
            ("SYMPTOM", "search-es-1 exceeded its flood-stage watermark.", ["E1"]),  # search-es-2
            ("SYMPTOM", "The restore of products-2025 was finished at 17:55:30.", ["E5"]),  # started
            ("CAUSE", "catalog-indexer filled the disk with new documents.", ["E4"]),  # the restore did
            ("IMPACT", "Product searches time out.", ["E4"]),  # p95 flat at 0.13 s (E7)
            ("SYMPTOM", "Disk usage of search-es-2 doubled.", ["E2"]),  # 81 to 96
            ("SYMPTOM", "search-es-2 holds 2Ti of data.", ["E12"]),  # the size of the claim
            ("SYMPTOM", "EsDiskHigh only fired after the flood stage had been reached.", ["E11", "E1"]),  # 17 minutes earlier
            ("CAUSE", "search-es-2 suffered from an exhausted heap.", ["E13"]),  # 57 % at most
            ("IMPACT", "Every index of the cluster was marked read-only.", ["E1"]),  # those on this node
            ("CAUSE", "catalog-indexer was throttled for sending too many requests.", ["E4"]),  # a disk block, whatever its name
            ("SYMPTOM", "Indexing slowed down by half.", ["E10"]),  # to zero
            ("CAUSE", "li.wen@shop.example deleted products-2025.", ["E6"]),  # requested a restore
        ],
    },
    {
        "run": "signing-key",
        "evidence": [
            ("E1", "query_logs", "gate-api", "6,050 x WARN gate-api between 2026-01-28T22:00:04Z and 2026-01-28T22:26:31Z: token rejected: no key with id k-2026-02 in the cached key set"),
            ("E2", "query_logs", "idp", "1 x INFO idp at 2026-01-28T22:00:00Z: signing key switched from k-2025-11 to k-2026-02"),
            ("E3", "query_cluster", "configmap/gate-api-config", "configmap gate-api-config (namespace gate): keys JWKS_CACHE_TTL=24h, LOG_LEVEL=info"),
            ("E4", "query_logs", "gate-api", "1 x INFO gate-api at 2026-01-28T03:12:40Z: key set fetched from idp: 2 keys (k-2025-08, k-2025-11)"),
            ("E5", "query_metrics", "gate-api", "http_responses_ratio of gate-api (ratio) {code=401}: first 0.01 at 2026-01-28T21:40:00Z, last 0.78 at 2026-01-28T22:26:00Z, min 0.008 at 2026-01-28T21:51:00Z, max 0.8 at 2026-01-28T22:24:00Z, mean 0.39, 47 points, rising, changed at 2026-01-28T22:00:00Z from about 0.01 to about 0.68"),
            ("E6", "query_metrics", "gate-api", "http_responses_ratio of gate-api (ratio) {code=5xx}: first 0 at 2026-01-28T21:40:00Z, last 0 at 2026-01-28T22:26:00Z, min 0 at 2026-01-28T21:40:00Z, max 0 at 2026-01-28T21:40:00Z, mean 0, 47 points, flat"),
            ("E7", "query_cluster", "app/idp", "app idp (namespace identity): 2 pods: 2 Running and Ready, 0 restarts, on nodes i-1, i-2"),
            ("E8", "query_metrics", "idp", "tokens_issued_per_second of idp: first 14 at 2026-01-28T21:40:00Z, last 61 at 2026-01-28T22:26:00Z, min 13 at 2026-01-28T21:47:00Z, max 66 at 2026-01-28T22:19:00Z, mean 38, 47 points, rising, changed at 2026-01-28T22:01:00Z from about 14 to about 58"),
            ("E9", "query_logs", "partner-portal", "520 x INFO partner-portal between 2026-01-28T22:00:10Z and 2026-01-28T22:26:00Z: token accepted, key k-2026-02"),
            ("E10", "query_alerts", "gate-api", 'alert "GateUnauthorized" is firing since 2026-01-28T22:04:00Z, severity critical, value 7.1e-01: more than 5 % of responses are 401'),
            ("E11", "query_logs", "driver-app", "933 x ERROR driver-app between 2026-01-28T22:00:19Z and 2026-01-28T22:26:29Z: signed out: gate-api answered 401"),
            ("E12", "query_metrics", "gate-api", "clock_offset_seconds of gate-api (seconds): first 0.001 at 2026-01-28T21:40:00Z, last 0.001 at 2026-01-28T22:26:00Z, min 0.001 at 2026-01-28T21:40:00Z, max 0.002 at 2026-01-28T22:10:00Z, mean 0.001, 47 points, flat"),
            ("E13", "query_logs", "gate-api", "1 x INFO gate-api at 2026-01-28T22:26:33Z: key set fetched from idp: 2 keys (k-2025-11, k-2026-02)"),
        ],
        "coverage": [("query_logs", "OK", 18800), ("query_metrics", "OK", 23), ("query_cluster", "OK", 16), ("query_alerts", "OK", 3)],
        "claims": [
            ("CAUSE", "idp moved on to a new signing key at 22:00 while gate-api was still working with a cached key set in which that key was missing.", ["E2", "E1", "E4"]),
            ("SYMPTOM", "The key cache lives for 24 hours and had last been filled almost 19 hours before the switch.", ["E3", "E4", "E2"]),
            ("SYMPTOM", "6,050 tokens were turned away in less than 27 minutes, nearly four per second.", ["E1"]),
            ("SYMPTOM", "The first rejection occurred four seconds after the key switch.", ["E1", "E2"]),
            ("SYMPTOM", "The share of 401 responses climbed from 1 % to 78 %.", ["E5"]),
            ("SYMPTOM", "The demand for tokens at idp more than quadrupled.", ["E8"]),
            ("IMPACT", "driver-app got signed out 933 times as a result of 401s from gate-api.", ["E11"]),
            ("RULED_OUT", "The new key as such is valid, given that partner-portal accepted tokens signed with it 520 times.", ["E9"]),
            ("RULED_OUT", "gate-api did not produce any 5xx.", ["E6"]),
            ("RULED_OUT", "idp is up, with both of its pods ready.", ["E7"]),
            ("RULED_OUT", "A clock skew is excluded: the offset of gate-api was 2 ms at the most.", ["E12"]),
            ("SYMPTOM", "The last rejection on record precedes the re-fetch of the key set, at 22:26:33, by two seconds.", ["E1", "E13"]),
            ("SYMPTOM", "The new key set, unlike the one fetched in the morning, contains k-2026-02.", ["E13", "E4"]),
            ("SYMPTOM", "GateUnauthorized has been firing since four minutes after the switch.", ["E10", "E2"]),
        ],
        "false": [
            ("SYMPTOM", "idp rejected 6,050 tokens issued by gate-api.", ["E1"]),  # roles swapped
            ("CAUSE", "The signing key was switched back from k-2026-02 to k-2025-11.", ["E2"]),  # the other way
            ("CAUSE", "The rejected tokens had expired.", ["E1"]),  # key not in the cached set
            ("SYMPTOM", "gate-api had picked up k-2026-02 before the switch.", ["E4", "E2"]),  # not in the set of 03:12
            ("IMPACT", "partner-portal rejected tokens as well.", ["E9"]),  # accepted
            ("SYMPTOM", "The key cache of gate-api has a lifetime of 24 minutes.", ["E3"]),  # hours
            ("SYMPTOM", "gate-api answered with server errors.", ["E6"]),  # none
            ("CAUSE", "idp is down.", ["E1", "E7"]),  # 2 of 2 ready
            ("CAUSE", "The clock of gate-api had drifted.", ["E12"]),  # 2 ms at most
            ("IMPACT", "All responses of gate-api were 401s.", ["E5"]),  # 80 % at most
            ("SYMPTOM", "gate-api has not fetched the new key to this day.", ["E4"]),  # fetched at 22:26:33 (E13)
            ("SYMPTOM", "Issuance of tokens by idp collapsed.", ["E8"]),  # rose
        ],
    },
    {
        "run": "recount-deadlock",
        "evidence": [
            ("E1", "query_logs", "stock-db", "73 x ERROR stock-db between 2026-03-02T14:05:11Z and 2026-03-02T14:48:37Z: Deadlock found when trying to get lock; try restarting transaction"),
            ("E2", "query_logs", "stock-db", "1 x INFO stock-db at 2026-03-02T14:06:02Z: latest detected deadlock: transaction 1 (recount-job) UPDATE shelf SET qty = ? WHERE sku = ? waits for an X lock held by transaction 2; transaction 2 (picker-api) UPDATE shelf SET reserved = ? WHERE sku = ? waits for an X lock held by transaction 1; rolling back transaction 2"),
            ("E3", "query_cluster", "object/recount-job", "change at 2026-03-02T14:04:40Z: config: schedule of recount-job changed from 0 3 * * * to */5 * * * *, by ops.rada@depot.example"),
            ("E4", "query_logs", "picker-api", "61 x WARN picker-api between 2026-03-02T14:05:12Z and 2026-03-02T14:48:38Z: reservation failed, retry <num> of 3 (for example: reservation failed, retry 1 of 3)"),
            ("E5", "query_logs", "picker-api", "7 x ERROR picker-api between 2026-03-02T14:11:20Z and 2026-03-02T14:44:03Z: reservation given up after 3 retries"),
            ("E6", "query_metrics", "picker-api", "http_request_duration_seconds of picker-api (seconds) {quantile=0.99}: first 0.12 at 2026-03-02T13:45:00Z, last 0.9 at 2026-03-02T14:49:00Z, min 0.11 at 2026-03-02T13:56:00Z, max 1.1 at 2026-03-02T14:31:00Z, mean 0.6, 65 points, rising, changed at 2026-03-02T14:05:00Z from about 0.12 to about 0.85"),
            ("E7", "query_cluster", "job/recount-job-29", "job recount-job-29 (namespace stock): Complete, 1 of 1 completions, 0 failed pods"),
            ("E8", "query_metrics", "stock-db", "CPUUtilization of stock-db (Percent, Average): first 36 at 2026-03-02T13:45:00Z, last 37 at 2026-03-02T14:49:00Z, min 34 at 2026-03-02T13:58:00Z, max 39 at 2026-03-02T14:22:00Z, mean 36.4, 65 points, flat"),
            ("E9", "query_metrics", "stock-db", "DatabaseConnections of stock-db (Count, Average): first 82 at 2026-03-02T13:45:00Z, last 85 at 2026-03-02T14:49:00Z, min 80 at 2026-03-02T13:52:00Z, max 88 at 2026-03-02T14:30:00Z, mean 84, 65 points, flat"),
            ("E10", "query_metrics", "stock-db", "row_lock_waits_per_second of stock-db: first 0.1 at 2026-03-02T13:45:00Z, last 14 at 2026-03-02T14:49:00Z, min 0 at 2026-03-02T13:50:00Z, max 17 at 2026-03-02T14:30:00Z, mean 9, 65 points, rising, changed at 2026-03-02T14:05:00Z from about 0.1 to about 13"),
            ("E11", "query_cluster", "app/picker-api", "app picker-api (namespace stock): 5 pods: 5 Running and Ready, 0 restarts, on nodes d-1, d-4"),
            ("E12", "query_alerts", "picker-api", 'alert "PickerLatency" is firing since 2026-03-02T14:10:00Z, severity warning, value 8.8e-01: p99 above 500 ms'),
            ("E13", "query_logs", "scanner-ui", "12 x INFO scanner-ui between 2026-03-02T14:11:25Z and 2026-03-02T14:44:08Z: picker asked to rescan"),
        ],
        "coverage": [("query_logs", "OK", 4420), ("query_metrics", "OK", 20), ("query_cluster", "OK", 18), ("query_alerts", "OK", 2)],
        "claims": [
            ("CAUSE", "recount-job and picker-api both update the table shelf, and each waits for a lock held by the other.", ["E2"]),
            ("CAUSE", "recount-job, a nightly affair until then, was put on a five-minute schedule at 14:04:40; half a minute later the deadlocks began.", ["E3", "E1"]),
            ("SYMPTOM", "In the deadlock on record it was picker-api's transaction that got rolled back.", ["E2"]),
            ("SYMPTOM", "A total of 73 deadlocks within 44 minutes, i.e. about 1.7 per minute.", ["E1"]),
            ("SYMPTOM", "Row lock waits went from practically none to about 13 a second.", ["E10"]),
            ("IMPACT", "Seven reservations had to be given up for good, their three retries having been in vain.", ["E5"]),
            ("IMPACT", "The p99 of picker-api went up seven-and-a-half-fold, to 0.9 s.", ["E6"]),
            ("RULED_OUT", "The recount itself is not failing: recount-job-29 completed without a failed pod.", ["E7"]),
            ("RULED_OUT", "The load on stock-db is unchanged, with CPU not exceeding 39 % and connections within 80 to 88.", ["E8", "E9"]),
            ("RULED_OUT", "Not one of the five picker-api pods has been restarted.", ["E11"]),
            ("SYMPTOM", "The alert set in five minutes after the rise in latency.", ["E12", "E6"]),
            ("IMPACT", "A dozen times, a picker was asked to rescan.", ["E13"]),
            ("SYMPTOM", "picker-api reported its first failed reservation one second after the first deadlock.", ["E4", "E1"]),
        ],
        "false": [
            ("SYMPTOM", "The transaction of recount-job was rolled back.", ["E2"]),  # transaction 2, picker-api
            ("CAUSE", "The schedule of picker-api was changed at 14:04:40.", ["E3"]),  # recount-job
            ("CAUSE", "recount-job was moved from a five-minute schedule to a nightly one.", ["E3"]),  # the other way
            ("IMPACT", "73 reservations were given up.", ["E1", "E5"]),  # seven
            ("SYMPTOM", "recount-job-29 failed.", ["E7"]),  # completed
            ("CAUSE", "stock-db ran out of connections.", ["E9"]),  # flat at 84
            ("SYMPTOM", "The deadlocks had begun before the schedule was changed.", ["E1", "E3"]),  # 31 s after
            ("SYMPTOM", "The p99 of picker-api doubled.", ["E6"]),  # 7.5-fold
            ("IMPACT", "No reservation could be made.", ["E5"]),  # seven were given up
            ("CAUSE", "stock-db's CPU was saturated.", ["E8"]),  # 39 % at most
            ("SYMPTOM", "PickerLatency is pending.", ["E12"]),  # firing
            ("SYMPTOM", "Reservations are retried up to 61 times.", ["E4"]),  # 3 times
        ],
    },
]
