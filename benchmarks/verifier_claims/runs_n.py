# ruff: noqa: E501  (one evidence line or claim a line: they are read as data)
# fmt: off
"""Blind runs 3 of 5, by a writer who had not seen the verifier: measured on first contact, then added here."""

RUNS = [
    {
        "run": "retention-lag",
        "evidence": [
            ("E1", "query_metrics", "crm-replica-1", "ReplicaLag of crm-replica-1 (Seconds, Average): first 0.8 at 2026-06-15T01:00:00Z, last 912 at 2026-06-15T01:34:00Z, min 0.7 at 2026-06-15T01:06:00Z, max 912 at 2026-06-15T01:34:00Z, mean 330, 35 points, rising, changed at 2026-06-15T01:12:00Z from about 0.9 to about 510"),
            ("E2", "query_metrics", "crm-main", "WriteIOPS of crm-main (Count/Second, Average): first 1200 at 2026-06-15T01:00:00Z, last 9800 at 2026-06-15T01:34:00Z, min 1150 at 2026-06-15T01:04:00Z, max 10100 at 2026-06-15T01:29:00Z, mean 7000, 35 points, rising, changed at 2026-06-15T01:11:00Z from about 1220 to about 9600"),
            ("E3", "query_logs", "crm-main", "1 x INFO crm-main at 2026-06-15T01:34:00Z: top SQL by load 22.6 AAS, 3.1 calls/s, waits IO:WALWrite=14.9, CPU=5.2, Lock:tuple=1.1: DELETE FROM activity WHERE created_at < $1"),
            ("E4", "query_cluster", "object/retention-job", "change at 2026-06-15T01:10:00Z: job: retention-job started with batch size 500000, by cron"),
            ("E5", "query_metrics", "crm-replica-1", "CPUUtilization of crm-replica-1 (Percent, Average): first 25 at 2026-06-15T01:00:00Z, last 27 at 2026-06-15T01:34:00Z, min 24 at 2026-06-15T01:08:00Z, max 29 at 2026-06-15T01:22:00Z, mean 26.4, 35 points, flat"),
            ("E6", "query_metrics", "crm-main", "CPUUtilization of crm-main (Percent, Average): first 30 at 2026-06-15T01:00:00Z, last 62 at 2026-06-15T01:34:00Z, min 29 at 2026-06-15T01:05:00Z, max 66 at 2026-06-15T01:27:00Z, mean 52, 35 points, rising, changed at 2026-06-15T01:11:00Z from about 30 to about 61"),
            ("E7", "query_logs", "crm-web", "97 x WARN crm-web between 2026-06-15T01:15:02Z and 2026-06-15T01:33:50Z: read-your-write check failed: contact <id> not on the replica yet (for example: read-your-write check failed: contact 40118 not on the replica yet)"),
            ("E8", "query_metrics", "crm-main", "DatabaseConnections of crm-main (Count, Average): first 144 at 2026-06-15T01:00:00Z, last 146 at 2026-06-15T01:34:00Z, min 140 at 2026-06-15T01:09:00Z, max 151 at 2026-06-15T01:30:00Z, mean 145, 35 points, flat"),
            ("E9", "query_alerts", "crm-replica-1", 'alert "ReplicaLagHigh" is firing since 2026-06-15T01:17:00Z, severity critical, value 3.1e+02: lag above 300 s'),
            ("E10", "query_logs", "rds-events", "1 x INFO rds-events at 2026-06-15T00:41:09Z: crm-main: Automatic backup for DB instance crm-main completed successfully."),
            ("E11", "query_metrics", "billing-replica-1", "ReplicaLag of billing-replica-1 (Seconds, Average): first 0.6 at 2026-06-15T01:00:00Z, last 0.6 at 2026-06-15T01:34:00Z, min 0.5 at 2026-06-15T01:14:00Z, max 0.9 at 2026-06-15T01:25:00Z, mean 0.63, 35 points, flat"),
        ],
        "coverage": [("query_logs", "OK", 3301), ("query_metrics", "OK", 24), ("query_cluster", "OK", 9), ("query_alerts", "OK", 2)],
        "claims": [
            ("CAUSE", "retention-job (500k batches) kicked off at 01:10 -> WAL-heavy DELETEs on crm-main -> crm-replica-1 can't keep up", ["E4", "E3", "E2", "E1"]),
            ("SYMPTOM", "lag on crm-replica-1: 0.8s -> 912s, still climbing", ["E1"]),
            ("SYMPTOM", "write iops on crm-main ~8x", ["E2"]),
            ("SYMPTOM", "two thirds of the DELETE's load is WALWrite (14.9 of 22.6)", ["E3"]),
            ("SYMPTOM", "It is worth noting that the replication lag of crm-replica-1, which at the beginning of the window amounted to less than one second, had grown to slightly more than fifteen minutes by 01:34.", ["E1"]),
            ("IMPACT", "97 stale reads hit crm-web so far", ["E7"]),
            ("RULED_OUT", "replica cpu is bored, never >29%", ["E5"]),
            ("RULED_OUT", "Although the CPU utilisation of crm-main did roughly double over the course of the incident, it topped out at 66 percent, which means that the primary was never short of compute capacity.", ["E6"]),
            ("RULED_OUT", "conns on crm-main flat, 140-151", ["E8"]),
            ("RULED_OUT", "not the backup - that was done at 00:41, half an hour before lag took off", ["E10", "E1"]),
            ("SYMPTOM", "write burst first (01:11), lag one minute later", ["E2", "E1"]),
            ("SYMPTOM", "page came 7 min after job start", ["E9", "E4"]),
            ("RULED_OUT", "By way of comparison, billing-replica-1 exhibited sub-second lag throughout the entire observation window and can therefore be regarded as unaffected.", ["E11"]),
        ],
        "false": [
            ("CAUSE", "backup on crm-main is what's hammering WAL", ["E10"]),  # done at 00:41, long before
            ("SYMPTOM", "billing-replica-1 is 912s behind", ["E1"]),  # crm-replica-1
            ("SYMPTOM", "lag's recovering", ["E1"]),  # rising
            ("SYMPTOM", "lag started before the job did", ["E1", "E4"]),  # 01:12 after 01:10
            ("CAUSE", "The retention job performs massive INSERT operations on the activity table.", ["E3"]),  # DELETE
            ("RULED_OUT", "It can be stated with confidence that crm-main's CPU utilisation remained unchanged throughout.", ["E6"]),  # doubled
            ("SYMPTOM", "most of the DELETE's time is lock waits", ["E3"]),  # WALWrite; locks 1.1 of 22.6
            ("SYMPTOM", "replica pegged at 100% cpu", ["E5"]),  # 29 % at most
            ("IMPACT", "crm-web is down", ["E7"]),  # stale reads
            ("SYMPTOM", "The replication lag of crm-replica-1 reached approximately 912 milliseconds, which remains well within acceptable bounds.", ["E1"]),  # seconds
            ("SYMPTOM", "write iops up 80x", ["E2"]),  # 8x
            ("SYMPTOM", "paged at 01:10, same minute the job started", ["E9", "E4"]),  # 01:17
        ],
    },
    {
        "run": "dead-containerd",
        "evidence": [
            ("E1", "query_cluster", "node/gpu-09", "node gpu-09: is NotReady, condition Ready is Unknown since 2026-04-29T13:27:50Z: Kubelet stopped posting node status."),
            ("E2", "query_cluster", "node/gpu-09", "node gpu-09: service containerd is inactive (dead), since Wed 2026-04-29 13:26:41 UTC; 18min ago, last words: Apr 29 13:26:41 gpu-09 systemd[1]: Stopped containerd container runtime."),
            ("E3", "query_cluster", "object/gpu-09", "change at 2026-04-29T13:26:38Z: maintenance: playbook patch-runtime ran on gpu-09, by ansible"),
            ("E4", "query_cluster", "app/embed-svc", "app embed-svc (namespace ml): 8 pods: 4 Running and Ready, 2 Terminating, 2 Pending, 0 restarts, on nodes gpu-07, gpu-08, gpu-09"),
            ("E5", "query_cluster", "deployment/embed-svc", "deployment embed-svc (namespace ml): 4/6 ready"),
            ("E6", "query_logs", "semantic-api", "1,018 x ERROR semantic-api between 2026-04-29T13:27:02Z and 2026-04-29T13:45:10Z: embed-svc: upstream request timeout"),
            ("E7", "query_cluster", "node/gpu-08", "node gpu-08: is Ready, no pressure, allocatable 31 CPU, 120Gi memory"),
            ("E8", "query_logs", "kubernetes-events", "2 x WARN kubernetes-events between 2026-04-29T13:33:01Z and 2026-04-29T13:33:02Z: TaintManagerEviction Pod/<id>: Marking for deletion Pod ml/<id> (for example: TaintManagerEviction Pod/embed-svc-6f77c-t4: Marking for deletion Pod ml/embed-svc-6f77c-t4)"),
            ("E9", "query_metrics", "semantic-api", "success_ratio of semantic-api (ratio): first 0.999 at 2026-04-29T13:10:00Z, last 0.83 at 2026-04-29T13:45:00Z, min 0.66 at 2026-04-29T13:30:00Z, max 0.999 at 2026-04-29T13:10:00Z, mean 0.89, 36 points, falling, changed at 2026-04-29T13:27:00Z from about 0.999 to about 0.79"),
            ("E10", "query_metrics", "embed-svc", "gpu_utilization of embed-svc (percent): first 55 at 2026-04-29T13:10:00Z, last 82 at 2026-04-29T13:45:00Z, min 52 at 2026-04-29T13:16:00Z, max 86 at 2026-04-29T13:38:00Z, mean 69, 36 points, rising, changed at 2026-04-29T13:28:00Z from about 55 to about 82"),
            ("E11", "query_cluster", "pod/embed-svc-6f77c-n8", "pod embed-svc-6f77c-n8 (namespace ml, app embed-svc): Pending, Unschedulable, scheduler: 0/3 nodes are available: 1 node(s) had untolerated taint node.kubernetes.io/unreachable, 2 Insufficient nvidia.com/gpu.; the same for 1 more pod of it: embed-svc-6f77c-v2"),
            ("E12", "query_alerts", None, 'alert "NodeNotReady" is firing since 2026-04-29T13:30:00Z, severity critical, node gpu-09: node is not ready'),
            ("E13", "query_cluster", "source/cluster", "source cluster: kubectl_top_nodes {} gave no data: failed with return code 1: error: Metrics API not available"),
            ("E14", "lookup_knowledge", "GPU nodes", "GPU nodes > NotReady: the GPU driver is the first suspect after a kernel update", "GUIDANCE"),
        ],
        "coverage": [("query_logs", "OK", 8810), ("query_metrics", "OK", 13), ("query_cluster", "OK", 71), ("query_alerts", "OK", 4)],
        "claims": [
            ("CAUSE", "patch-runtime playbook left containerd dead on gpu-09 -> node NotReady", ["E3", "E2", "E1"]),
            ("SYMPTOM", "containerd stopped 3s after ansible ran patch-runtime", ["E2", "E3"]),
            ("SYMPTOM", "gpu-09 NotReady since 13:27:50, ~70s after containerd went away", ["E1", "E2"]),
            ("SYMPTOM", "embed-svc 4/6", ["E5"]),
            ("SYMPTOM", "Of the eight pods that are known for embed-svc, exactly half are running and ready, while two are in the process of terminating and a further two are still pending.", ["E4"]),
            ("CAUSE", "The replacement pods are unable to be scheduled owing to the fact that one node carries the unreachable taint and the two remaining nodes have no sufficient GPU capacity left.", ["E11"]),
            ("IMPACT", "semantic-api: 1018 timeouts talking to embed-svc", ["E6"]),
            ("IMPACT", "worst minute (13:30) about a third of semantic-api requests failed", ["E9"]),
            ("IMPACT", "After its low of 66 percent at 13:30, the success ratio of semantic-api has partially recovered to 83 percent, yet it remains well below its initial level of 99.9 percent.", ["E9"]),
            ("SYMPTOM", "survivors run hotter: gpu util 55 -> 82%", ["E10"]),
            ("RULED_OUT", "gpu-08 fine: Ready, no pressure", ["E7"]),
            ("RULED_OUT", "no embed-svc restarts", ["E4"]),
            ("SYMPTOM", "2 pods in ml only marked for deletion at 13:33, i.e. 5 min after gpu-09 went NotReady", ["E8", "E1"]),
            ("SYMPTOM", "Please be aware that no node usage figures could be obtained, given that the Metrics API was not available.", ["E13"]),
            ("SYMPTOM", "timeouts started before k8s called the node NotReady (48s earlier)", ["E6", "E1"]),
        ],
        "false": [
            ("CAUSE", "gpu driver broke after a kernel update", ["E14"]),  # runbook only; containerd is dead
            ("SYMPTOM", "gpu-08 is NotReady", ["E1"]),  # gpu-09
            ("CAUSE", "kubelet was killed by the playbook", ["E2", "E3"]),  # containerd stopped
            ("SYMPTOM", "containerd is running on gpu-09 again", ["E2"]),  # inactive (dead)
            ("SYMPTOM", "all embed-svc pods are down", ["E4"]),  # 4 ready
            ("CAUSE", "The pending pods are waiting on account of insufficient memory on the remaining nodes.", ["E11"]),  # GPUs
            ("IMPACT", "embed-svc got 1018 timeouts from semantic-api's side being slow", ["E6"]),  # swapped
            ("SYMPTOM", "node went NotReady before anyone touched it", ["E1", "E3"]),  # 72 s after
            ("IMPACT", "The success ratio of semantic-api has fully recovered in the meantime.", ["E9"]),  # 83 %
            ("SYMPTOM", "gpu util dropped after the node was lost", ["E10"]),  # rose
            ("RULED_OUT", "According to the available node metrics, gpu-09 had sufficient memory at all times.", ["E13"]),  # no data was obtained
            ("SYMPTOM", "gpu-09 lost 6 embed-svc pods", ["E4", "E5"]),  # 2 terminating
        ],
    },
    {
        "run": "cpu-quota",
        "evidence": [
            ("E1", "query_cluster", "namespace/lab", "namespace lab (namespace lab, app trainer): quota cpu-quota is exceeded by replicaset trainer-5f6d8c, requested requests.cpu=2, used requests.cpu=39, limited to requests.cpu=40"),
            ("E2", "query_cluster", "quota/cpu-quota", "quota cpu-quota (namespace lab): requests.cpu used 39 of 40"),
            ("E3", "query_cluster", "deployment/trainer", "deployment trainer (namespace lab): 3/5 ready, its pods: 3 Running, container trainer CPU request 2, ReplicaFailure: FailedCreate"),
            ("E4", "query_logs", "kubernetes-events", '26 x WARN kubernetes-events between 2026-02-19T11:05:08Z and 2026-02-19T11:49:31Z: FailedCreate ReplicaSet/trainer-5f6d8c: Error creating: pods "trainer-5f6d8c-" is forbidden: exceeded quota: cpu-quota'),
            ("E5", "query_cluster", "object/trainer", "change at 2026-02-19T11:04:55Z: scale: replicas of trainer raised from 3 to 5, by mia.k@lab.example"),
            ("E6", "query_cluster", "deployment/notebook", "deployment notebook (namespace lab): 11/11 ready, container notebook CPU request 3"),
            ("E7", "query_cluster", "node/lab-1", "node lab-1: is Ready, no pressure, 31 of at most 110 pods run on it (28%), cpu requests 22 of 63.5"),
            ("E8", "query_cluster", "node/lab-2", "node lab-2: is Ready, no pressure, 24 of at most 110 pods run on it (22%), cpu requests 19 of 63.5"),
            ("E9", "query_metrics", "trainer", "training_queue_length of trainer: first 4 at 2026-02-19T10:50:00Z, last 31 at 2026-02-19T11:50:00Z, min 3 at 2026-02-19T10:58:00Z, max 31 at 2026-02-19T11:50:00Z, mean 17, 61 points, rising, changed at 2026-02-19T11:00:00Z from about 4 to about 20"),
            ("E10", "query_metrics", "notebook", "cpu_utilization of notebook (percent): first 7 at 2026-02-19T10:50:00Z, last 8 at 2026-02-19T11:50:00Z, min 6 at 2026-02-19T11:13:00Z, max 9 at 2026-02-19T11:31:00Z, mean 7.4, 61 points, flat"),
            ("E11", "query_alerts", "trainer", 'alert "TrainerReplicasMissing" is firing since 2026-02-19T11:20:00Z, severity warning, service trainer: fewer replicas than wanted for 15 minutes'),
            ("E12", "query_logs", "train-ui", "19 x INFO train-ui between 2026-02-19T11:12:40Z and 2026-02-19T11:48:03Z: job <id> waits for a worker (for example: job 771 waits for a worker)"),
            ("E13", "query_cluster", "app/trainer", "app trainer (namespace lab): 3 pods: 3 Running and Ready, 0 restarts, on nodes lab-1, lab-2"),
        ],
        "coverage": [("query_logs", "OK", 910), ("query_metrics", "OK", 8), ("query_cluster", "OK", 44), ("query_alerts", "OK", 1)],
        "claims": [
            ("CAUSE", "trainer can't get pods 4+5: needs 2 cpu per pod, quota has 1 left (39/40)", ["E1", "E2", "E3"]),
            ("CAUSE", "The quota of the namespace is consumed for the most part by notebook, whose eleven replicas request three CPUs each and hence account for 33 of the 39 CPUs in use.", ["E6", "E2"]),
            ("SYMPTOM", "trainer 3/5 since mia.k scaled it up at 11:04:55", ["E3", "E5"]),
            ("SYMPTOM", "26 FailedCreates in ~44 min, first one 13s after the scale-up", ["E4", "E5"]),
            ("SYMPTOM", "queue 4 -> 31 and growing", ["E9"]),
            ("SYMPTOM", "Interestingly, the queue had already begun to lengthen a few minutes prior to the scale-up.", ["E9", "E5"]),
            ("IMPACT", "19x train-ui: job waits for a worker", ["E12"]),
            ("RULED_OUT", "not a capacity thing, lab-1 and lab-2 each have >40 cpu unrequested", ["E7", "E8"]),
            ("RULED_OUT", "the 3 trainers we do have are stable, 0 restarts", ["E13"]),
            ("SYMPTOM", "notebook sits there at 6-9% cpu", ["E10"]),
            ("SYMPTOM", "TrainerReplicasMissing fired 15 min after the scale-up", ["E11", "E5"]),
            ("RULED_OUT", "It should also be mentioned that neither of the two nodes is anywhere near its pod limit; the fuller one of them, lab-1, stands at 28 percent.", ["E7", "E8"]),
        ],
        "false": [
            ("CAUSE", "nodes are out of cpu", ["E7", "E8"]),  # 22 and 19 of 63.5 requested
            ("CAUSE", "The quota is exceeded by the notebook deployment, none of whose further pods could be created.", ["E1"]),  # by trainer
            ("SYMPTOM", "trainer was scaled down from 5 to 3", ["E5"]),  # up
            ("SYMPTOM", "quota fully used, 40/40", ["E2"]),  # 39
            ("SYMPTOM", "trainer 5/5", ["E3"]),  # 3/5
            ("SYMPTOM", "the namespace burns 39 cpus flat out", ["E2", "E10"]),  # requested, not used
            ("SYMPTOM", "trainer pods crashed 26 times", ["E4"]),  # never created
            ("SYMPTOM", "The training queue remained stable at around four entries for the whole duration of the incident.", ["E9"]),  # grew to 31
            ("IMPACT", "19 jobs failed", ["E12"]),  # wait
            ("CAUSE", "pods limit of the nodes reached", ["E7", "E8"]),  # 28 % and 22 %
            ("SYMPTOM", "FailedCreate began before anybody scaled", ["E4", "E5"]),  # 13 s after
            ("CAUSE", "each trainer pod wants 40 cpu", ["E1"]),  # 2; 40 is the limit
        ],
    },
    {
        "run": "probe-port",
        "evidence": [
            ("E1", "query_cluster", "pod/geo-api-7c4d9b-x2mlp", "pod geo-api-7c4d9b-x2mlp (namespace maps, app geo-api): liveness probe fails (18 times), declared: liveness probe httpGet /live on port 8081 (delay 5s, period 10s, timeout 1s, 3 failures) of container geo, message: Liveness probe failed: dial tcp 10.2.3.4:8081: connect: connection refused"),
            ("E2", "query_cluster", "pod/geo-api-7c4d9b-x2mlp", "pod geo-api-7c4d9b-x2mlp (namespace maps, app geo-api): phase Running, status CrashLoopBackOff, 0/1 containers ready, 6 restarts, the last 48s ago, on node m-3, age 11m"),
            ("E3", "query_logs", "geo-api", "7 x INFO geo-api between 2026-09-19T15:10:20Z and 2026-09-19T15:20:41Z: listening on :8080"),
            ("E4", "query_cluster", "object/geo-api", "change at 2026-09-19T15:10:02Z: deploy: geo-api 2.3.0 -> 2.4.0: one port for everything, by pipeline-88"),
            ("E5", "query_logs", "geo-api", "6 x INFO geo-api between 2026-09-19T15:10:49Z and 2026-09-19T15:20:02Z: received SIGTERM, shutting down"),
            ("E6", "query_cluster", "deployment/geo-api", "deployment geo-api (namespace maps): 3/4 ready"),
            ("E7", "query_cluster", "service/geo-api", "service geo-api (namespace maps): 3 ready endpoints, answers at geo-api.maps:80 from m-1, m-2, m-3"),
            ("E8", "query_metrics", "geo-api", "container_memory_working_set_bytes of geo-api (bytes): first 262144000 at 2026-09-19T15:00:00Z, last 283115520 at 2026-09-19T15:21:00Z, min 251658240 at 2026-09-19T15:04:00Z, max 301989888 at 2026-09-19T15:16:00Z, mean 272000000, 22 points, varying"),
            ("E9", "query_cluster", "pod/geo-api-7c4d9b-x2mlp", "pod geo-api-7c4d9b-x2mlp (namespace maps, app geo-api): container geo last terminated Error, exit code 143, 6 restarts, memory limit 512Mi, CPU limit 1"),
            ("E10", "query_metrics", "geo-api", "http_server_errors_ratio of geo-api (ratio): first 0.001 at 2026-09-19T15:00:00Z, last 0.001 at 2026-09-19T15:21:00Z, min 0 at 2026-09-19T15:07:00Z, max 0.004 at 2026-09-19T15:12:00Z, mean 0.0013, 22 points, varying"),
            ("E11", "query_cluster", "node/m-3", "node m-3: is Ready, no pressure, allocatable 7.8 CPU, 29Gi memory"),
            ("E12", "query_alerts", "geo-api", 'alert "GeoApiCrashLooping" is firing since 2026-09-19T15:16:00Z, severity warning, service geo-api: a pod restarted more than 3 times in 10 minutes'),
            ("E13", "question", None, "the user asks: geo-api seems to run out of memory, please check. Namespace maps.", "REPORTED"),
        ],
        "coverage": [("query_logs", "OK", 640), ("query_metrics", "OK", 9), ("query_cluster", "OK", 33), ("query_alerts", "OK", 1)],
        "claims": [
            ("CAUSE", "probe still knocks on 8081, app 2.4.0 listens on 8080 only -> refused -> kubelet keeps killing it", ["E1", "E3", "E4"]),
            ("SYMPTOM", "x2mlp: CrashLoopBackOff, 6 restarts in 11 min", ["E2"]),
            ("SYMPTOM", "6 SIGTERMs, 7 starts - matches the 6 restarts", ["E5", "E3", "E2"]),
            ("SYMPTOM", "The eighteen failed liveness probes, divided by the configured threshold of three, correspond precisely to the six restarts that were observed.", ["E1", "E2"]),
            ("SYMPTOM", "first SIGTERM 29s after start", ["E5", "E3"]),
            ("SYMPTOM", "one of four geo-api pods not ready", ["E6"]),
            ("IMPACT", "users ok: 3 endpoints left, error ratio peaked at 0.4%", ["E7", "E10"]),
            ("RULED_OUT", "no OOM. exit 143, not 137", ["E9"]),
            ("RULED_OUT", "Memory is not the problem, considering that the working set peaked at 288 MiB, i.e. at a little more than half of the limit of 512Mi.", ["E8", "E9"]),
            ("RULED_OUT", "node m-3 ok", ["E11"]),
            ("SYMPTOM", "alert 6 min after deploy", ["E12", "E4"]),
            ("SYMPTOM", "With a period of ten seconds and three permitted failures, the probe leaves the container roughly half a minute before it is killed.", ["E1"]),
        ],
        "false": [
            ("CAUSE", "geo-api is running out of memory", ["E13"]),  # the user's guess; 288 of 512 MiB (E8, E9)
            ("CAUSE", "app listens on 8081, probe asks 8080", ["E1", "E3"]),  # swapped
            ("CAUSE", "readiness probe is failing", ["E1"]),  # liveness
            ("CAUSE", "probe times out", ["E1"]),  # refused
            ("SYMPTOM", "all geo-api pods crashloop", ["E6", "E2"]),  # one of four
            ("SYMPTOM", "x2mlp hasn't restarted", ["E2"]),  # 6 restarts
            ("SYMPTOM", "uses 512Mi", ["E9"]),  # the limit
            ("SYMPTOM", "The container terminated itself of its own accord after a fatal error in the application.", ["E5"]),  # it received SIGTERM
            ("IMPACT", "geo-api has no endpoints left", ["E7"]),  # 3
            ("IMPACT", "error ratio at 40%", ["E10"]),  # 0.4 %
            ("SYMPTOM", "crash loop predates the deploy", ["E5", "E4"]),  # 47 s after
            ("SYMPTOM", "The liveness probe grants the application eighteen consecutive failures before intervening.", ["E1"]),  # 3
        ],
    },
    {
        "run": "nat-ports",
        "evidence": [
            ("E1", "query_metrics", "nat-1", "ErrorPortAllocation of nat-1 (Count, Sum): first 0 at 2026-07-30T18:45:00Z, last 5400 at 2026-07-30T19:41:00Z, min 0 at 2026-07-30T18:45:00Z, max 5900 at 2026-07-30T19:20:00Z, mean 3480, 57 points, rising, changed at 2026-07-30T19:03:00Z from about 0 to about 5100"),
            ("E2", "query_metrics", "nat-1", "ActiveConnectionCount of nat-1 (Count, Maximum): first 18000 at 2026-07-30T18:45:00Z, last 54900 at 2026-07-30T19:41:00Z, min 17500 at 2026-07-30T18:50:00Z, max 55000 at 2026-07-30T19:09:00Z, mean 44000, 57 points, rising, changed at 2026-07-30T18:59:00Z from about 18000 to about 54000"),
            ("E3", "query_metrics", "nat-2", "ErrorPortAllocation of nat-2 (Count, Sum): first 0 at 2026-07-30T18:45:00Z, last 0 at 2026-07-30T19:41:00Z, min 0 at 2026-07-30T18:45:00Z, max 0 at 2026-07-30T18:45:00Z, mean 0, 57 points, flat"),
            ("E4", "query_logs", "push-sender", "8,233 x ERROR push-sender between 2026-07-30T19:03:04Z and 2026-07-30T19:40:51Z: connect to relay.push.example:443: timed out after <dur> (for example: connect to relay.push.example:443: timed out after 10s)"),
            ("E5", "query_cluster", "object/push-sender", "change at 2026-07-30T18:58:20Z: config: http keep-alive of push-sender turned off, by sam.ode@push.example"),
            ("E6", "query_metrics", "push-sender", "new_connections_per_second of push-sender: first 12 at 2026-07-30T18:45:00Z, last 930 at 2026-07-30T19:41:00Z, min 11 at 2026-07-30T18:51:00Z, max 955 at 2026-07-30T19:17:00Z, mean 700, 57 points, rising, changed at 2026-07-30T18:59:00Z from about 12 to about 920"),
            ("E7", "query_logs", "mailer", "41 x WARN mailer between 2026-07-30T19:05:10Z and 2026-07-30T19:39:27Z: smtp connect took <dur> (for example: smtp connect took 8s)"),
            ("E8", "query_metrics", "probe-b", "relay_probe_success of probe-b (ratio): first 1 at 2026-07-30T18:45:00Z, last 1 at 2026-07-30T19:41:00Z, min 1 at 2026-07-30T18:45:00Z, max 1 at 2026-07-30T18:45:00Z, mean 1, 57 points, flat"),
            ("E9", "query_metrics", "push-sender", "notifications_delivered_per_minute of push-sender: first 5400 at 2026-07-30T18:45:00Z, last 610 at 2026-07-30T19:41:00Z, min 480 at 2026-07-30T19:20:00Z, max 5550 at 2026-07-30T18:57:00Z, mean 2100, 57 points, falling, changed at 2026-07-30T19:03:00Z from about 5400 to about 600"),
            ("E10", "query_cluster", "app/push-sender", "app push-sender (namespace push): 8 pods: 8 Running and Ready, 0 restarts, on nodes p-1, p-2, p-4"),
            ("E11", "query_alerts", "push-sender", 'alert "PushDeliveryLow" is firing since 2026-07-30T19:08:00Z, severity critical, value 6.4e+02: fewer than 2000 notifications a minute delivered'),
            ("E12", "query_metrics", "push-sender", "cpu_utilization of push-sender (percent): first 34 at 2026-07-30T18:45:00Z, last 39 at 2026-07-30T19:41:00Z, min 33 at 2026-07-30T18:53:00Z, max 41 at 2026-07-30T19:16:00Z, mean 37, 57 points, flat"),
            ("E13", "recall_cases", None, "past case: push delivery fell because relay.push.example had an outage", "MEMORY"),
        ],
        "coverage": [("query_logs", "OK", 13007), ("query_metrics", "OK", 36), ("query_cluster", "OK", 20), ("query_alerts", "OK", 2)],
        "claims": [
            ("CAUSE", "keep-alive off at 18:58:20 -> ~78x more new conns from push-sender -> nat-1 out of ports", ["E5", "E6", "E1"]),
            ("SYMPTOM", "nat-1 active conns tripled, 18k -> ~55k", ["E2"]),
            ("SYMPTOM", "port alloc errors on nat-1: none till 19:03, then ~5k", ["E1"]),
            ("IMPACT", "deliveries down almost 89% (5400 -> 610/min)", ["E9"]),
            ("IMPACT", "push-sender: 8.2k connect timeouts to relay.push.example", ["E4"]),
            ("IMPACT", "In addition, mailer was confronted with slow SMTP connects on 41 occasions, one of which lasted for eight seconds.", ["E7"]),
            ("RULED_OUT", "relay is fine, probe-b never missed", ["E8"]),
            ("RULED_OUT", "nat-2: zero port errors", ["E3"]),
            ("RULED_OUT", "It would be mistaken to look for the fault in the pods themselves, since all eight of them are running and ready and have not been restarted even once.", ["E10"]),
            ("RULED_OUT", "cpu 33-41%, boring", ["E12"]),
            ("SYMPTOM", "order: keep-alive change 18:58, conns up 18:59, port errors + timeouts 19:03, alert 19:08", ["E5", "E2", "E1", "E4", "E11"]),
            ("SYMPTOM", "The very same minute that saw the first port allocation errors also marks the point at which deliveries collapsed.", ["E1", "E9"]),
            ("SYMPTOM", "delivery low point 480/min at 19:20, coinciding with the peak of port errors (5900)", ["E9", "E1"]),
        ],
        "false": [
            ("CAUSE", "relay.push.example had an outage", ["E13"]),  # past case only; probe-b fine (E8)
            ("CAUSE", "sam.ode turned keep-alive on", ["E5"]),  # off
            ("SYMPTOM", "nat-2 is out of ports", ["E1"]),  # nat-1
            ("CAUSE", "relay.push.example rejects our connections", ["E4"]),  # timeouts; the relay answers probe-b (E8)
            ("SYMPTOM", "timeouts began right at 18:58", ["E4"]),  # 19:03:04
            ("IMPACT", "deliveries down to zero", ["E9"]),  # 480 at least
            ("IMPACT", "mailer couldn't send at all", ["E7"]),  # slow connects
            ("SYMPTOM", "The number of active connections on nat-1 decreased from roughly 55,000 to 18,000.", ["E2"]),  # swapped
            ("SYMPTOM", "push-sender pods restarted 8 times", ["E10"]),  # 8 pods, 0 restarts
            ("SYMPTOM", "PushDeliveryLow: 2000/min delivered now", ["E11"]),  # the threshold; 640
            ("SYMPTOM", "port errors showed up before anyone changed keep-alive", ["E1", "E5"]),  # 19:03 after 18:58
            ("RULED_OUT", "push-sender is perfectly healthy: eight out of eight pods are ready.", ["E10"]),  # deliveries down 89 % (E9)
        ],
    },
    {
        "run": "burst-credits",
        "evidence": [
            ("E1", "query_metrics", "wiki-db", "BurstBalance of wiki-db (Percent, Minimum): first 74 at 2026-03-11T08:00:00Z, last 0 at 2026-03-11T09:45:00Z, min 0 at 2026-03-11T09:12:00Z, max 74 at 2026-03-11T08:00:00Z, mean 31, 106 points, falling, changed at 2026-03-11T08:51:00Z from about 66 to about 6"),
            ("E2", "query_metrics", "wiki-db", "DiskQueueDepth of wiki-db (Count, Average): first 0.4 at 2026-03-11T08:00:00Z, last 61 at 2026-03-11T09:45:00Z, min 0.3 at 2026-03-11T08:09:00Z, max 64 at 2026-03-11T09:30:00Z, mean 19, 106 points, rising, changed at 2026-03-11T09:12:00Z from about 1.1 to about 58"),
            ("E3", "query_metrics", "wiki-db", "ReadLatency of wiki-db (Milliseconds, Average): first 0.8 at 2026-03-11T08:00:00Z, last 92 at 2026-03-11T09:45:00Z, min 0.7 at 2026-03-11T08:12:00Z, max 101 at 2026-03-11T09:30:00Z, mean 29, 106 points, rising, changed at 2026-03-11T09:12:00Z from about 1 to about 90"),
            ("E4", "query_metrics", "wiki-db", "ReadIOPS of wiki-db (Count/Second, Average): first 310 at 2026-03-11T08:00:00Z, last 300 at 2026-03-11T09:45:00Z, min 290 at 2026-03-11T08:07:00Z, max 2980 at 2026-03-11T08:55:00Z, mean 1300, 106 points, varying"),
            ("E5", "query_logs", "wiki-db", "1 x INFO wiki-db at 2026-03-11T09:40:00Z: top SQL by load 19.1 AAS, 2.2 calls/s, waits IO:DataFileRead=17.5, CPU=1.1: SELECT id, title FROM pages WHERE body ILIKE $1"),
            ("E6", "query_cluster", "object/wiki-web", "change at 2026-03-11T08:29:15Z: deploy: wiki-web 1.9.4 -> 1.10.0: full-text search box, by pipeline-16"),
            ("E7", "query_metrics", "wiki-web", "http_server_request_duration_seconds of wiki-web (seconds) {quantile=0.95}: first 0.4 at 2026-03-11T08:00:00Z, last 6.2 at 2026-03-11T09:45:00Z, min 0.37 at 2026-03-11T08:18:00Z, max 7 at 2026-03-11T09:31:00Z, mean 2.2, 106 points, rising, changed at 2026-03-11T09:13:00Z from about 0.4 to about 6"),
            ("E8", "query_metrics", "wiki-db", "CPUUtilization of wiki-db (Percent, Average): first 13 at 2026-03-11T08:00:00Z, last 15 at 2026-03-11T09:45:00Z, min 12 at 2026-03-11T08:10:00Z, max 19 at 2026-03-11T08:57:00Z, mean 15, 106 points, varying"),
            ("E9", "query_metrics", "wiki-db", "FreeableMemory of wiki-db (Bytes, Minimum): first 6442450944 at 2026-03-11T08:00:00Z, last 6335076762 at 2026-03-11T09:45:00Z, min 6227702579 at 2026-03-11T09:01:00Z, max 6442450944 at 2026-03-11T08:00:00Z, mean 6340000000, 106 points, flat"),
            ("E10", "query_alerts", "wiki-web", 'alert "WikiSlow" is firing since 2026-03-11T09:18:00Z, severity warning, value 6.0e+00: p95 above 3 s'),
            ("E11", "query_logs", "wiki-web", "290 x ERROR wiki-web between 2026-03-11T09:13:20Z and 2026-03-11T09:44:58Z: GET /page/<id>: canceling statement due to statement timeout"),
            ("E12", "query_cluster", "app/wiki-web", "app wiki-web (namespace docs): 2 pods: 2 Running and Ready, 0 restarts, on nodes w-1, w-2"),
            ("E13", "lookup_knowledge", "Slow reads", "Slow reads > Usual cause: a cold buffer cache after a restart of the database", "GUIDANCE"),
            ("E14", "query_metrics", "forum-db", "BurstBalance of forum-db (Percent, Minimum): first 98 at 2026-03-11T08:00:00Z, last 99 at 2026-03-11T09:45:00Z, min 97 at 2026-03-11T08:31:00Z, max 99 at 2026-03-11T09:02:00Z, mean 98.4, 106 points, flat"),
        ],
        "coverage": [("query_logs", "OK", 2988), ("query_metrics", "OK", 29), ("query_cluster", "OK", 12), ("query_alerts", "OK", 1)],
        "claims": [
            ("CAUSE", "burst credits on wiki-db hit 0 at 09:12 -> same minute read latency goes from ~1 to ~90ms", ["E1", "E3"]),
            ("CAUSE", "The credits were consumed by the ILIKE query on pages, which arrived with the full-text search box of wiki-web 1.10.0 and which spends more than 90 percent of its load on reading data files.", ["E6", "E5", "E1"]),
            ("SYMPTOM", "read latency 0.8 -> 92ms", ["E3"]),
            ("SYMPTOM", "queue depth ~60, used to be around 1", ["E2"]),
            ("SYMPTOM", "iops peaked at 2980 (08:55), now back at 300", ["E4"]),
            ("SYMPTOM", "In the roughly forty-three minutes between the deployment and the exhaustion of the credits, there was no step in read latency yet.", ["E6", "E1", "E3"]),
            ("IMPACT", "wiki-web p95 at 6.2s, 15x", ["E7"]),
            ("IMPACT", "290 page loads died on statement timeout", ["E11"]),
            ("RULED_OUT", "db cpu never above 19%", ["E8"]),
            ("RULED_OUT", "memory no issue, never below 5.8 GiB freeable", ["E9"]),
            ("RULED_OUT", "The pods of wiki-web are not implicated, both of them being ready, without so much as a single restart.", ["E12"]),
            ("RULED_OUT", "forum-db still has 97%+ of its credits", ["E14"]),
            ("SYMPTOM", "WikiSlow only fired at 09:18, 6 min after credits ran out", ["E10", "E1"]),
            ("SYMPTOM", "web got slow one minute after the disk did", ["E7", "E3"]),
        ],
        "false": [
            ("CAUSE", "cold cache after db restart", ["E13"]),  # runbook only
            ("SYMPTOM", "forum-db is out of burst credits", ["E1"]),  # wiki-db
            ("SYMPTOM", "burst balance still at 74%", ["E1"]),  # 0 %
            ("SYMPTOM", "credits ran out right when 1.10.0 went live", ["E1", "E6"]),  # 43 minutes later
            ("SYMPTOM", "wiki-db is cpu bound", ["E5", "E8"]),  # IO; CPU 19 % at most
            ("CAUSE", "wiki-web was downgraded to 1.9.4", ["E6"]),  # upgraded to 1.10.0
            ("SYMPTOM", "p50 is 6.2s", ["E7"]),  # p95
            ("SYMPTOM", "The number of read operations per second is at an all-time high of 2,980 at the end of the window.", ["E4"]),  # 300 at the end
            ("IMPACT", "wiki-db was slow for 290 hours", ["E11"]),  # 290 errors
            ("RULED_OUT", "It may be concluded that freeable memory was exhausted by the query.", ["E9"]),  # flat at 5.9 GiB
            ("SYMPTOM", "read latency dropped to 0.8ms", ["E3"]),  # rose to 92 ms
            ("SYMPTOM", "WikiSlow fired before latency moved", ["E10", "E7"]),  # 09:18 after 09:13
        ],
    },
    {
        "run": "batch-oom",
        "evidence": [
            ("E1", "query_cluster", "pod/score-batch-6d5c8-pp4", "pod score-batch-6d5c8-pp4 (namespace risk, app score-batch): container scorer last terminated OOMKilled, exit code 137, 4 restarts, memory limit 2Gi, CPU limit 2"),
            ("E2", "query_metrics", "score-batch", "container_memory_working_set_bytes of score-batch (bytes): first 734003200 at 2026-04-12T01:00:00Z, last 2040109466 at 2026-04-12T01:40:00Z, min 702545920 at 2026-04-12T01:02:00Z, max 2136746229 at 2026-04-12T01:21:00Z, mean 1750000000, 41 points, rising, changed at 2026-04-12T01:05:00Z from about 730000000 to about 1900000000"),
            ("E3", "query_logs", "score-batch", "5 x INFO score-batch between 2026-04-12T01:04:58Z and 2026-04-12T01:38:15Z: loading feature file /data/f-0412.parquet in one piece, 6.3 GB"),
            ("E4", "query_logs", "score-batch", "1 x INFO score-batch at 2026-04-11T01:05:01Z: loading feature file /data/f-0411.parquet in one piece, 0.9 GB"),
            ("E5", "query_cluster", "object/feature-export", "change at 2026-04-11T16:20:00Z: config: feature-export writes all regions into one file, by data-bot"),
            ("E6", "query_logs", "risk-api", "75 x WARN risk-api between 2026-04-12T01:31:00Z and 2026-04-12T01:39:52Z: scores older than 24 h, using defaults"),
            ("E7", "query_cluster", "node/b-11", "node b-11: is Ready, no pressure, allocatable 15 CPU, 58Gi memory"),
            ("E8", "query_cluster", "app/risk-api", "app risk-api (namespace risk): 4 pods: 4 Running and Ready, 0 restarts, on nodes b-02, b-07"),
            ("E9", "query_cluster", "deployment/score-batch", "deployment score-batch (namespace risk): 0/1 ready"),
            ("E10", "query_alerts", "risk-api", 'alert "ScoresStale" is firing since 2026-04-12T01:35:00Z, severity warning, service risk-api: scores are older than 24 h'),
            ("E11", "query_metrics", "risk-api", "http_server_request_duration_seconds of risk-api (seconds) {quantile=0.95}: first 0.11 at 2026-04-12T01:00:00Z, last 0.1 at 2026-04-12T01:40:00Z, min 0.09 at 2026-04-12T01:13:00Z, max 0.12 at 2026-04-12T01:26:00Z, mean 0.105, 41 points, flat"),
            ("E12", "query_metrics", "score-batch", "cpu_utilization of score-batch (percent): first 20 at 2026-04-12T01:00:00Z, last 38 at 2026-04-12T01:40:00Z, min 12 at 2026-04-12T01:22:00Z, max 61 at 2026-04-12T01:06:00Z, mean 33, 41 points, varying"),
        ],
        "coverage": [("query_logs", "OK", 1203), ("query_metrics", "OK", 15), ("query_cluster", "OK", 22), ("query_alerts", "OK", 1)],
        "claims": [
            ("CAUSE", "scorer slurps a 6.3 GB file with a 2Gi limit -> OOMKilled, 4 restarts so far", ["E3", "E1"]),
            ("CAUSE", "The sevenfold growth of the feature file compared with the previous day, from 0.9 to 6.3 GB, was preceded by a configuration change, as a result of which feature-export has been writing all regions into one single file since 11 April, 16:20.", ["E4", "E3", "E5"]),
            ("SYMPTOM", "mem topped out ~1.99 GiB right under the 2Gi limit", ["E2", "E1"]),
            ("SYMPTOM", "5 load attempts, 4 restarts", ["E3", "E1"]),
            ("SYMPTOM", "score-batch 0/1", ["E9"]),
            ("SYMPTOM", "The memory usage of the batch began its ascent at 01:05, and thus practically at the same moment at which the loading of the file was first logged.", ["E2", "E3"]),
            ("IMPACT", "risk-api on defaults, 75 warnings, scores >24h old", ["E6"]),
            ("IMPACT", "From a latency perspective, however, risk-api did not suffer: its 95th percentile never exceeded 120 milliseconds.", ["E11"]),
            ("RULED_OUT", "b-11 had plenty: no pressure, 58Gi allocatable", ["E7"]),
            ("RULED_OUT", "risk-api pods fine, 4/4, no restarts", ["E8"]),
            ("RULED_OUT", "not cpu, max 61%", ["E12"]),
            ("SYMPTOM", "ScoresStale came 4 min after risk-api's first complaint", ["E10", "E6"]),
            ("SYMPTOM", "the day before, the file was just 0.9 GB", ["E4"]),
        ],
        "false": [
            ("CAUSE", "b-11 ran out of memory", ["E1", "E7"]),  # the container's limit; the node has no pressure
            ("SYMPTOM", "risk-api was OOMKilled 4 times", ["E1"]),  # score-batch
            ("SYMPTOM", "scorer uses 6.3 GB of RAM", ["E3"]),  # the size of the file; 1.99 GiB used (E2)
            ("CAUSE", "The feature file has shrunk to 0.9 GB since the previous day.", ["E3", "E4"]),  # grown from 0.9
            ("CAUSE", "data-bot lowered the memory limit of score-batch", ["E5"]),  # changed what feature-export writes
            ("SYMPTOM", "clean exit, code 0", ["E1"]),  # 137
            ("IMPACT", "risk-api is down", ["E6"]),  # uses defaults; 4 of 4 ready (E8)
            ("IMPACT", "risk-api latency went through the roof", ["E11"]),  # flat
            ("SYMPTOM", "score-batch finished after 5 tries", ["E3"]),  # 0/1 ready, OOMKilled
            ("SYMPTOM", "The configuration of feature-export was changed after the first failed run.", ["E5", "E3"]),  # the afternoon before
            ("SYMPTOM", "ScoresStale fired before risk-api noticed", ["E10", "E6"]),  # 4 minutes after
            ("CAUSE", "cpu limit starves the scorer, pegged at 100%", ["E12"]),  # 61 % at most
        ],
    },
]
