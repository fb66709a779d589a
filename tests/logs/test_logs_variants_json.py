"""Records that come as fields: JSON of many loggers, collectors and clouds, logfmt, CSV and tables."""
# ruff: noqa: E501 - log lines are as long as they are

from __future__ import annotations

import pytest

from tests.logs.variants import AT, SECOND, Variant

V = Variant
VARIANTS = (
    V("winston", '{"level":"warn","message":"tide low","service":"quay-api","timestamp":"2026-05-04T09:15:30.250Z"}', AT, "WARN", "quay-api", "tide low"),
    V("winston printed time", '{"message":"tide low","level":"error","timestamp":"2026-05-04 09:15:30:250"}', AT, "ERROR", None, "tide low"),
    V("bunyan error object", '{"name":"winch","hostname":"vm1","pid":3,"level":60,"err":{"message":"rope torn","name":"Error","stack":"Error: rope torn\\n    at a (b.js:1:2)"},"msg":"fatal","time":"2026-05-04T09:15:30.250Z","v":0}', AT, "FATAL", "winch", "fatal: rope torn"),
    V("pino words and iso", '{"level":"error","time":"2026-05-04T09:15:30.250Z","pid":1,"hostname":"vm1","name":"winch","err":{"type":"Error","message":"torn","stack":"x"},"msg":"lift failed"}', AT, "ERROR", "winch", "lift failed: torn"),
    V("zap production", '{"level":"dpanic","ts":1777886130.25,"logger":"winch","caller":"winch/rope.go:12","msg":"bad state","stacktrace":"main.main\\n\\t/x.go:1"}', AT, "FATAL", "winch", "bad state"),
    V("zap iso without colon", '{"level":"info","ts":"2026-05-04T11:15:30.250+0200","caller":"etcdserver/server.go:744","msg":"applied snapshot"}', AT, "INFO", None, "applied snapshot"),
    V("zap epoch nanos", '{"L":"INFO","T":"2026-05-04T09:15:30.250Z","N":"winch","C":"a/b.go:1","M":"rope set"}', AT, "INFO", "winch", "rope set"),
    V("zerolog", '{"level":"error","component":"winch","error":"EOF","time":1777886130,"message":"read"}', SECOND, "ERROR", "winch", "read: EOF"),
    V("slog json", '{"time":"2026-05-04T09:15:30.250000000Z","level":"INFO","source":{"function":"main.main","file":"/src/main.go","line":9},"msg":"rope set","len":3}', AT, "INFO", None, "rope set"),
    V("slog custom level", '{"time":"2026-05-04T09:15:30.25Z","level":"ERROR+4","msg":"rope torn"}', AT, "ERROR", None, "rope torn"),
    V("logrus json", '{"animal":"walrus","level":"panic","msg":"herd gone","time":"2026-05-04T09:15:30Z"}', SECOND, "FATAL", None, "herd gone"),
    V("python-json-logger", '{"asctime": "2026-05-04 09:15:30,250", "name": "winch.rope", "levelname": "CRITICAL", "message": "torn", "exc_info": "Traceback (most recent call last):\\n  File \\"a.py\\", line 1\\nValueError: x"}', AT, "FATAL", "winch.rope", "torn"),
    V("loguru serialize", '{"text": "2026-05-04 09:15:30.250 | ERROR    | winch:lift:9 - torn\\n", "record": {"elapsed": {"repr": "0:00:01", "seconds": 1.0}, "exception": null, "extra": {}, "file": {"name": "winch.py", "path": "/a/winch.py"}, "function": "lift", "level": {"icon": "x", "name": "ERROR", "no": 40}, "line": 9, "message": "torn", "module": "winch", "name": "winch", "process": {"id": 1, "name": "MainProcess"}, "thread": {"id": 2, "name": "MainThread"}, "time": {"repr": "2026-05-04 09:15:30.250000+00:00", "timestamp": 1777886130.25}}}', AT, "ERROR", "winch", "torn"),
    V("ecs dotted", '{"@timestamp":"2026-05-04T09:15:30.250Z","log.level":"WARN","message":"slow","ecs.version":"1.2.0","service.name":"winch","event.dataset":"winch.log","process.thread.name":"main","log.logger":"io.quay.Main"}', AT, "WARN", "winch", "slow"),
    V("ecs with error", '{"@timestamp":"2026-05-04T09:15:30.250Z","log":{"level":"ERROR","logger":"io.quay.Main"},"message":"lift","error":{"type":"java.io.IOException","message":"torn","stack_trace":"java.io.IOException: torn\\n\\tat a.b(C.java:1)"}}', AT, "ERROR", "io.quay.Main", "lift: torn"),
    V("logstash encoder", '{"@timestamp":"2026-05-04T11:15:30.250+02:00","@version":"1","message":"lift","logger_name":"io.quay.Main","thread_name":"main","level":"INFO","level_value":20000}', AT, "INFO", "io.quay.Main", "lift"),
    V("logback epoch millis", '{"sequenceNumber":0,"timestamp":1777886130250,"nanoseconds":250000000,"level":"ERROR","threadName":"main","loggerName":"io.quay.Main","context":{"name":"default"},"mdc":{},"message":"torn","throwable":null}', AT, "ERROR", "io.quay.Main", "torn"),
    V("log4j2 jsonlayout millis", '{"timeMillis":1777886130250,"thread":"main","level":"ERROR","loggerName":"io.quay.Main","message":"torn","endOfBatch":false,"loggerFqcn":"x.Y","threadId":1}', AT, "ERROR", "io.quay.Main", "torn"),
    V("spring boot structured logstash", '{"@timestamp":"2026-05-04T09:15:30.250Z","log.level":"INFO","process.pid":1,"process.thread.name":"main","service.name":"quay","log.logger":"io.quay.App","message":"Started","ecs.version":"8.11"}', AT, "INFO", "quay", "Started"),
    V("quarkus json", '{"timestamp":"2026-05-04T09:15:30.25Z","sequence":22,"loggerClassName":"org.jboss.logging.Logger","loggerName":"io.quay.Main","level":"ERROR","message":"torn","threadName":"main","threadId":1,"mdc":{},"ndc":"","hostName":"vm1","processName":"quay.jar","processId":1}', AT, "ERROR", "io.quay.Main", "torn"),
    V("gelf full", '{"version":"1.1","host":"vm1","short_message":"torn","full_message":"torn\\nat a","timestamp":1777886130.25,"level":3,"_logger":"x"}', AT, "ERROR", None, "torn"),
    V("gcp text payload", '{"insertId":"a1","labels":{"k":"v"},"logName":"projects/p/logs/stdout","receiveTimestamp":"2026-05-04T09:15:31Z","resource":{"labels":{"container_name":"winch","pod_name":"winch-6d5c7b9f8-x2x4z"},"type":"k8s_container"},"severity":"NOTICE","textPayload":"rope set","timestamp":"2026-05-04T09:15:30.250Z"}', AT, "INFO", "winch", "rope set"),
    V("gcp json payload", '{"insertId":"a1","jsonPayload":{"message":"torn","logger":"winch.rope"},"severity":"CRITICAL","timestamp":"2026-05-04T09:15:30.250Z"}', AT, "FATAL", "winch.rope", "torn"),
    V("gcp seconds and nanos", '{"severity":"WARNING","message":"slow","timestamp":{"seconds":1777886130,"nanos":250000000},"logger":"io.quay.Main"}', AT, "WARN", "io.quay.Main", "slow"),
    V("gcp timestampSeconds", '{"severity":"ERROR","message":"torn","timestampSeconds":1777886130,"timestampNanos":250000000}', AT, "ERROR", None, "torn"),
    V("cloudwatch event", '{"eventId":"3712","timestamp":1777886130250,"message":"[ERROR] lift failed","ingestionTime":1777886131000}', AT, "ERROR", None, "lift failed"),
    V("cloudtrail", '{"eventVersion":"1.08","eventTime":"2026-05-04T09:15:30Z","eventSource":"ec2.amazonaws.com","eventName":"RunInstances","awsRegion":"eu-west-1","errorCode":"Client.UnauthorizedOperation","errorMessage":"not authorized"}', SECOND, None, "ec2.amazonaws.com", "RunInstances: not authorized"),
    V("lambda json", '{"timestamp":"2026-05-04T09:15:30.250Z","level":"ERROR","message":"torn","logger":"root","requestId":"8f5"}', AT, "ERROR", "root", "torn"),
    V("powertools", '{"level":"INFO","location":"handler:9","message":"lift","timestamp":"2026-05-04 11:15:30,250+0200","service":"winch","cold_start":true}', AT, "INFO", "winch", "lift"),
    V("azure app insights", '{"timestamp":"2026-05-04T09:15:30.2500000Z","message":"torn","severityLevel":3,"itemType":"trace","cloud_RoleName":"winch"}', AT, "ERROR", "winch", "torn"),
    V("azure diagnostics", '{"time":"2026-05-04T09:15:30.2500000Z","resourceId":"/SUBSCRIPTIONS/1","category":"AppServiceConsoleLogs","operationName":"Microsoft.Web/sites/log","level":"Error","resultDescription":"rope torn"}', AT, "ERROR", "AppServiceConsoleLogs", "rope torn"),
    V("aks container log v2", '{"TimeGenerated":"2026-05-04T09:15:30.2500000Z","Computer":"vm1","ContainerName":"winch","LogMessage":"torn","LogSource":"stderr","LogLevel":"error"}', AT, "ERROR", "winch", "torn"),
    V("serilog compact", '{"@t":"2026-05-04T09:15:30.2500000Z","@m":"lifted 3","@i":"a1","@l":"Warning","SourceContext":"Quay.Winch"}', AT, "WARN", "Quay.Winch", "lifted 3"),
    V("serilog compact without a level", '{"@t":"2026-05-04T09:15:30.2500000Z","@mt":"lifted {Count}","Count":3,"SourceContext":"Quay.Winch"}', AT, "INFO", "Quay.Winch", "lifted {Count}"),
    V("serilog json", '{"Timestamp":"2026-05-04T11:15:30.2500000+02:00","Level":"Error","MessageTemplate":"lift {A}","RenderedMessage":"lift 3","Exception":"System.IO.IOException: torn\\r\\n   at A.B()","Properties":{"SourceContext":"Quay.Winch"}}', AT, "ERROR", "Quay.Winch", "lift 3: System.IO.IOException: torn"),
    V("dotnet json console", '{"Timestamp":"2026-05-04T09:15:30.250Z","EventId":14,"LogLevel":"Information","Category":"Microsoft.Hosting.Lifetime","Message":"Now listening on: x","State":{"Message":"Now listening on: x","address":"x"}}', AT, "INFO", "Microsoft.Hosting.Lifetime", "Now listening on: x"),
    V("nlog json", '{ "time": "2026-05-04 09:15:30.2500", "level": "ERROR", "nested": { "message": "torn", "exception": "x" }, "logger": "Quay.Winch" }', AT, "ERROR", "Quay.Winch", "torn"),
    V("journald with bytes", '{"MESSAGE":[114,111,112,101,32,116,111,114,110],"PRIORITY":"4","SYSLOG_IDENTIFIER":"winchd","_HOSTNAME":"vm1","__REALTIME_TIMESTAMP":"1777886130250000","_PID":"7"}', AT, "WARN", "winchd", "rope torn"),
    V("journald unit only", '{"_SYSTEMD_UNIT":"winch.service","_COMM":"winch","MESSAGE":"rope set","PRIORITY":"6","__REALTIME_TIMESTAMP":"1777886130250000"}', AT, "INFO", "winch", "rope set"),
    V("docker stderr", '{"log":"rope torn\\n","stream":"stderr","time":"2026-05-04T09:15:30.25Z"}', AT, None, None, "rope torn"),
    V("docker partial", '{"log":"%s","stream":"stdout","time":"2026-05-04T09:15:30.25Z"}\n{"log":"end\\n","stream":"stdout","time":"2026-05-04T09:15:30.26Z"}' % ("x" * 16384), AT, None, None, "xxx", (2,)),
    V("docker java trace", '{"log":"java.lang.IllegalStateException: torn\\n","stream":"stderr","time":"2026-05-04T09:15:30.25Z"}\n{"log":"\\tat a.b.C.d(C.java:3)\\n","stream":"stderr","time":"2026-05-04T09:15:30.26Z"}\n{"log":"next\\n","stream":"stderr","time":"2026-05-04T09:15:30.27Z"}', AT, None, None, "java.lang.IllegalStateException: torn\n\tat a.b.C.d(C.java:3)", (2, 1)),
    V("docker around logfmt", '{"log":"level=warn ts=2026-05-04T09:15:29Z msg=slow component=winch\\n","stream":"stdout","time":"2026-05-04T09:15:30.25Z"}', AT, "WARN", "winch", "slow"),
    V("fluent bit kubernetes", '{"@timestamp":"2026-05-04T09:15:30.250Z","log":"2026-05-04T09:15:30.250000000Z stderr F E0504 09:15:30.250000 1 a.go:9] torn","kubernetes":{"pod_name":"winch-6d5c7b9f8-x2x4z","namespace_name":"x","container_name":"main"}}', AT, "ERROR", "winch", "torn"),
    V("fluentd array", '[1777886130.25, {"log":"torn","level":"error"}]', AT, "ERROR", None, "torn"),
    V("mongodb", '{"t":{"$date":"2026-05-04T11:15:30.250+02:00"},"s":"F",  "c":"STORAGE",  "id":22435,   "ctx":"initandlisten","msg":"disk gone","attr":{"error":13}}', AT, "FATAL", "STORAGE", "disk gone"),
    V("mongodb debug", '{"t":{"$date":"2026-05-04T09:15:30.250Z"},"s":"D2","c":"NETWORK","id":1,"ctx":"conn1","msg":"hello","svc":"S"}', AT, "DEBUG", "NETWORK", "hello"),
    V("elasticsearch json", '{"type": "server", "timestamp": "2026-05-04T09:15:30,250Z", "level": "WARN", "component": "o.e.d.z.ZenDiscovery", "cluster.name": "c", "node.name": "n1", "message": "not enough masters",  "cluster.uuid": "x"  }', AT, "WARN", "o.e.d.z.ZenDiscovery", "not enough masters"),
    V("elasticsearch 8 ecs", '{"@timestamp":"2026-05-04T09:15:30.250Z", "log.level": "INFO", "message":"started", "ecs.version": "1.2.0","service.name":"ES_ECS","event.dataset":"elasticsearch.server","log.logger":"org.elasticsearch.node.Node","elasticsearch.node.name":"n1"}', AT, "INFO", "ES_ECS", "started"),
    V("kibana", '{"type":"log","@timestamp":"2026-05-04T09:15:30Z","tags":["error","elasticsearch"],"pid":8,"message":"no living connections"}', SECOND, "ERROR", None, "no living connections"),
    V("postgres jsonlog", '{"timestamp":"2026-05-04 09:15:30.250 UTC","user":"app","dbname":"quay","pid":7,"session_id":"x","ps":"SELECT","error_severity":"ERROR","state_code":"42P01","message":"relation \\"x\\" does not exist","statement":"select 1","backend_type":"client backend"}', AT, "ERROR", None, 'relation "x" does not exist'),
    V("mysql json error log", '{ "prio" : 0, "err_code" : 10910, "source_line" : 2300, "source_file" : "mysqld.cc", "msg" : "Shutdown complete", "time" : "2026-05-04T09:15:30.250000Z", "ts" : 1777886130250, "err_symbol" : "ER_X", "SQL_state" : "HY000", "subsystem" : "Server", "buffered" : 1, "label" : "System" }', AT, "INFO", "Server", "Shutdown complete"),
    V("caddy access", '{"level":"info","ts":1777886130.25,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"203.0.113.9","proto":"HTTP/2.0","method":"GET","host":"quay.example","uri":"/"},"status":200,"duration":0.001}', AT, "INFO", "http.log.access", "handled request"),
    V("traefik json", '{"ClientAddr":"203.0.113.9:1","DownstreamStatus":502,"Duration":1000,"RequestMethod":"GET","RequestPath":"/dock","ServiceName":"winch@docker","level":"info","msg":"","time":"2026-05-04T09:15:30Z"}', SECOND, "INFO", "winch@docker", "GET /dock 502"),
    V("envoy json", '{"start_time":"2026-05-04T09:15:30.250Z","method":"GET","path":"/dock","protocol":"HTTP/1.1","response_code":503,"response_flags":"UH","duration":3,"upstream_cluster":"outbound|80||winch"}', AT, None, None, "GET /dock 503"),
    V("nginx json access", '{"time_iso8601":"2026-05-04T11:15:30+02:00","remote_addr":"203.0.113.9","request":"GET /dock HTTP/1.1","status":"404","body_bytes_sent":"12","request_time":"0.010"}', SECOND, None, None, "GET /dock HTTP/1.1"),
    V("nginx msec", '{"msec":"1777886130.250","request_method":"PUT","uri":"/dock","status":"200"}', AT, None, None, "PUT /dock 200"),
    V("istio", '{"level":"warn","time":"2026-05-04T09:15:30.250000Z","scope":"ads","msg":"push late"}', AT, "WARN", "ads", "push late"),
    V("vault json", '{"@level":"error","@message":"torn","@module":"core.winch","@timestamp":"2026-05-04T09:15:30.250000Z"}', AT, "ERROR", "core.winch", "torn"),
    V("vault audit", '{"time":"2026-05-04T09:15:30.25Z","type":"request","request":{"id":"x","operation":"read","path":"secret/a"}}', AT, None, None, '{"time":'),
    V("argo", '{"level":"fatal","msg":"no repo","time":"2026-05-04T09:15:30Z","application":"quay"}', SECOND, "FATAL", "quay", "no repo"),
    V("kubernetes audit", '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"x","stage":"ResponseComplete","requestURI":"/api/v1/pods","verb":"list","requestReceivedTimestamp":"2026-05-04T09:15:30.250000Z","stageTimestamp":"2026-05-04T09:15:30.260000Z","responseStatus":{"code":200}}', AT, None, None, "list /api/v1/pods"),
    V("kubernetes event", '{"type":"Warning","reason":"BackOff","message":"Back-off restarting","lastTimestamp":"2026-05-04T09:15:30Z","involvedObject":{"kind":"Pod","name":"winch-6d5c7b9f8-x2x4z"},"source":{"component":"kubelet"}}', SECOND, "WARN", "kubelet", "Back-off restarting"),
    V("suricata eve", '{"timestamp":"2026-05-04T09:15:30.250000+0000","flow_id":1,"event_type":"alert","src_ip":"203.0.113.9","alert":{"action":"allowed","signature":"odd rope","severity":2}}', AT, None, None, "odd rope"),
    V("airflow json", '{"asctime":"2026-05-04T09:15:30.250+0000","filename":"taskinstance.py","lineno":9,"levelname":"ERROR","message":"Task failed","dag_id":"d","task_id":"t"}', AT, "ERROR", None, "Task failed"),
    V("rails lograge json", '{"method":"GET","path":"/dock","format":"html","controller":"DockController","action":"index","status":500,"duration":58.3,"@timestamp":"2026-05-04T09:15:30.250Z","@version":"1"}', AT, None, None, "GET /dock 500"),
    V("semantic logger", '{"host":"vm1","application":"Quay","timestamp":"2026-05-04T09:15:30.250000Z","level":"error","level_index":4,"pid":1,"name":"Winch","message":"torn","exception":{"name":"RuntimeError","message":"rope"}}', AT, "ERROR", "Quay", "torn: rope"),
    V("monolog json", '{"message":"torn","context":{"exception":{"class":"RuntimeException","message":"rope"}},"level":400,"level_name":"ERROR","channel":"winch","datetime":"2026-05-04T11:15:30.250000+02:00","extra":{}}', AT, "ERROR", "winch", "torn: rope"),
    V("elixir json", '{"time":"2026-05-04T09:15:30.250Z","severity":"error","message":"torn","metadata":{"module":"Quay.Winch"}}', AT, "ERROR", "Quay.Winch", "torn"),
    V("erlang logger json", '{"level":"notice","msg":"torn","time":1777886130250000}', AT, "INFO", None, "torn"),
    V("rust slog", '{"msg":"torn","level":"ERRO","ts":"2026-05-04T09:15:30.250Z","module":"winch"}', AT, "ERROR", "winch", "torn"),
    V("rust tracing flat", '{"timestamp":"2026-05-04T09:15:30.250000Z","level":"WARN","message":"slow","target":"winch::rope","span":{"name":"lift"}}', AT, "WARN", "winch::rope", "slow"),
    V("epoch seconds in text", '{"timestamp":"1777886130","severity":"INFO","msg":"x"}', SECOND, "INFO", None, "x"),
    V("epoch micros float text", '{"ts":"1777886130.250000","lvl":"E","text":"x"}', AT, "ERROR", None, "x"),
    V("upper-case keys", '{"TIMESTAMP":"2026-05-04T09:15:30Z","SEVERITY":"Error","MESSAGE":"x","LOGGER":"a.b"}', SECOND, "ERROR", "a.b", "x"),
    V("datadog", '{"timestamp":"2026-05-04T09:15:30.250Z","status":"error","message":"torn","service":"winch","ddsource":"java","dd":{"trace_id":"1"}}', AT, "ERROR", "winch", "torn"),
    V("syslog-ng json", '{"SOURCE":"s_src","PROGRAM":"winchd","PRIORITY":"err","PID":"7","MESSAGE":"torn","HOST":"vm1","FACILITY":"daemon","DATE":"May  4 09:15:30"}', SECOND, "ERROR", "winchd", "torn"),
    V("loki export", '{"line":"level=error msg=torn component=winch","timestamp":"2026-05-04T09:15:30.25Z","labels":{"app":"quay"}}', AT, "ERROR", "quay", "torn"),
    V("vector", '{"appname":"winch","facility":"daemon","host":"vm1","message":"torn","severity":"crit","timestamp":"2026-05-04T09:15:30.250Z","version":1}', AT, "FATAL", "winch", "torn"),
    V("auth0-like splunk event", '{"time":1777886130.25,"host":"vm1","source":"/var/log/x","sourcetype":"_json","event":{"message":"torn","severity":"ERROR"}}', AT, "ERROR", None, "torn"),
    V("pretty-printed json", '{\n  "timestamp": "2026-05-04T09:15:30.250Z",\n  "level": "ERROR",\n  "message": "rope torn"\n}\n{\n  "timestamp": "2026-05-04T09:15:31.250Z",\n  "level": "INFO",\n  "message": "next"\n}', AT, "ERROR", None, "rope torn", (5, 5)),
    V("logfmt of go", 'ts=2026-05-04T09:15:30.250Z caller=main.go:9 level=error component=winch msg="lift failed" err="rope torn"', AT, "ERROR", "winch", "lift failed: rope torn"),
    V("grafana", 'logger=tsdb.quay t=2026-05-04T11:15:30.25+02:00 level=eror msg="query failed" error="no berth"', AT, "ERROR", "tsdb.quay", "query failed: no berth"),
    V("slog text", 'time=2026-05-04T09:15:30.250Z level=WARN source=/src/a.go:9 msg="rope slack" len=3', AT, "WARN", None, "rope slack"),
    V("logrus tty", "\x1b[31mERRO\x1b[0m[0042] rope torn                                     \x1b[31mlen\x1b[0m=3", None, "ERROR", None, "rope torn"),
    V("logrus tty with time", "WARN[2026-05-04T09:15:30Z] rope slack   len=3", SECOND, "WARN", None, "rope slack"),
    V("docker daemon", 'time="2026-05-04T09:15:30.250000000Z" level=info msg="Loading containers: done."', AT, "INFO", None, "Loading containers: done."),
    V("containerd", 'time="2026-05-04T09:15:30.250000000Z" level=error msg="exit event" error="torn" id=9', AT, "ERROR", None, "exit event: torn"),
    V("heroku router", '2026-05-04T09:15:30.250000+00:00 heroku[router]: at=error code=H12 desc="Request timeout" method=GET path="/dock" status=503', AT, None, "heroku", 'at=error code=H12'),
    V("lograge", "method=GET path=/dock format=html controller=Dock action=index status=200 duration=58.33", None, None, None, "method=GET path=/dock"),
    V("consul telemetry logfmt", "2026-05-04T09:15:30.250Z [ERROR] agent.winch: lift failed: error=\"rope torn\" id=3", AT, "ERROR", "agent.winch", 'lift failed: error="rope torn"'),
    V("csv with header", 'Timestamp,Level,Logger,Message\n2026-05-04 09:15:30.250,Error,Quay.Winch,"torn, twice"', AT, "ERROR", "Quay.Winch", "torn, twice", (1, 1), 1),
    V("csv with semicolons", 'time;severity;service;message\n2026-05-04T09:15:30Z;warn;winch;"slow; late"', SECOND, "WARN", "winch", "slow; late", (1, 1), 1),
    V("tsv with header", "timestamp\tlevel\tmessage\n2026-05-04T09:15:30Z\tERROR\trope torn", SECOND, "ERROR", None, "rope torn", (1, 1), 1),
    V("csv over two lines", 'time,level,message\n2026-05-04T09:15:30Z,error,"torn\n twice"\n2026-05-04T09:15:31Z,info,next', SECOND, "ERROR", None, "torn\n twice", (1, 2, 1), 1),
    V("windows events as csv", 'Level,Date and Time,Source,Event ID,Task Category,Message\nError,5/4/2026 9:15:30 AM,Quay-Disk,7,None,"bad block"', SECOND, "ERROR", "Quay-Disk", "bad block", (1, 1), 1),
    V("iis", "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2026-05-04 09:15:30\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken\n2026-05-04 09:15:30 10.0.0.1 GET /dock a=b 443 - 203.0.113.9 Probe/1 500 0 0 42", SECOND, "ERROR", None, "GET /dock 500", (1, 1, 1, 1, 1), 4),
    V("cloudfront", "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent)\n2026-05-04\t09:15:30\tLHR\t99\t203.0.113.9\tGET\td.example\t/dock\t200\t-\tProbe%201", SECOND, None, None, "GET /dock 200", (1, 1, 1), 2),
    V("zeek", "#separator \\x09\n#set_separator\t,\n#fields\tts\tuid\tid.orig_h\tid.resp_h\tproto\tservice\tmethod\turi\tstatus_code\n#types\ttime\tstring\taddr\taddr\tenum\tstring\tstring\tstring\tcount\n1777886130.250000\tCx1\t10.0.0.1\t10.0.0.2\ttcp\thttp\tGET\t/dock\t200", AT, None, "http", "GET /dock 200", (1, 1, 1, 1, 1), 4),
)  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.shape)
def test_shape(variant: Variant) -> None:
    assert variant.problems() == []


def test_one_line_of_otlp_is_several_records() -> None:
    value = '{"stringValue":"%s"}'
    line = (
        '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":' + value % "winch" + "}]},"
        '"scopeLogs":[{"scope":{"name":"io.quay"},"logRecords":[{"timeUnixNano":"1777886130250000000",'
        '"severityNumber":13,"body":'
        + value
        % "slow"
        + '},{"timeUnixNano":"1777886130250000000","severityText":"ERROR",'
        '"body":{"kvlistValue":{"values":[{"key":"message","value":' + value % "torn" + "}]}}}]}]}]}"
    )
    assert Variant("otlp", line, AT, "WARN", "winch", "slow", (1, 0)).problems() == []
    assert Variant("otlp, a map as body", line, AT, "ERROR", "winch", "torn", (1, 0), 1).problems() == []
