import Foundation
import Support
import Testing

@Suite("Metrics for Prometheus and the dashboard")
struct DashboardTests {
    /// What a dashboard asks for, and nothing else of it.
    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            let id: Int
            let type: String
            let targets: [Target]?
        }
        struct Target: Decodable { let expr: String }
        struct Templating: Decodable { let list: [Variable] }
        struct Variable: Decodable {
            let name: String
            let definition: String?
        }
        struct Annotations: Decodable { let list: [Target] }

        let schemaVersion: Int
        let panels: [Panel]
        let templating: Templating
        let annotations: Annotations

        var queries: [String] { panels.flatMap { $0.targets ?? [] }.map(\.expr) + annotations.list.map(\.expr) }
    }

    private static let sections = """
        backends: { issuer: { users: { ada: { password: wonder } } } }
        auth: { flow: password, username: ada, password: wonder }
        network: {}
        background:
          downloads: { directory: downloads }
          tasks: { noted: { every: 1h, exec: [/bin/true] } }

        """

    /// A Prometheus that scrapes the address of a runner; it goes with the test.
    private struct Prometheus {
        private let program: StartedProgram
        private let origin: String

        init(scraping address: LoopbackAddress, in folder: TemporaryFolder) async throws {
            try folder.write(
                """
                global: { scrape_interval: 500ms, scrape_timeout: 500ms }
                scrape_configs:
                - job_name: corewire
                  authorization: { credentials: \(LoopbackAddress.token) }
                  static_configs: [{ targets: ["127.0.0.1:\(address.port)"] }]

                """,
                to: "prometheus.yml"
            )
            func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }
            program = try StartedProgram(
                "/usr/bin/prometheus",
                [
                    "--config.file=\(path("prometheus.yml"))", "--storage.tsdb.path=\(path("data"))",
                    "--web.listen-address=127.0.0.1:0",
                ],
                environment: ["PATH": "/usr/bin:/bin"],
                output: path("prometheus.out"),
                errors: path("prometheus.log")
            )
            var port = ""
            _ = await eventually {
                let log = (try? folder.text(of: "prometheus.log")) ?? ""
                let whole = log.lastIndex(of: "\n").map { log[..<$0] } ?? ""
                let line = whole.split(separator: "\n").first { $0.contains("Listening on") }
                port = line?.components(separatedBy: "address=127.0.0.1:").last ?? ""
                return !port.isEmpty
            }
            let origin = "http://127.0.0.1:\(port)"
            self.origin = origin
            // It listens before it answers questions.
            _ = await eventually { Program.succeeds("curl", "-sf", "-o", "/dev/null", "\(origin)/-/ready") }
        }

        /// The result of a query; nil where it is refused.
        func ask(_ query: String) throws -> [[String: Any]]? {
            let url = "\(origin)/api/v1/query"
            let run = try Program.run("curl", ["-s", url, "--data-urlencode", "query=\(query)"])
            let data = try run.json()
            guard data["status"] as? String == "success" else { return nil }
            return (data["data"] as? [String: Any])?["result"] as? [[String: Any]]
        }

        func names() throws -> Set<String> {
            let run = try Program.run("curl", ["-s", "\(origin)/api/v1/label/__name__/values"])
            return Set(try run.json()["data"] as? [String] ?? [])
        }

        func end() async throws {
            program.signal(SIGTERM)
            try await program.end()
        }
    }

    /// What stands for the variables that Grafana fills in.
    private static func filled(_ query: String) -> String {
        query.replacingOccurrences(of: "$__rate_interval", with: "1m")
            .replacingOccurrences(of: "$job", with: "corewire").replacingOccurrences(of: "$instance", with: ".*")
    }

    private static func names(in query: String) -> [String] {
        query.matches(of: #/\b(corewire|process)_[a-z0-9_]+/#).map { String($0.output.0) }
    }

    @Test(
        "every query of the dashboard returns data with known labels",
        .enabled(if: Program.isInstalled("prometheus"))
    )
    func dashboard() async throws {
        let text = try Repository.text(of: "Examples/grafana/corewire.json")
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: Data(text.utf8))
        #expect(dashboard.schemaVersion == 39)
        #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count)
        let address = try await LoopbackAddress.open(sections: Self.sections)
        for path in ["/v1/auth/token", "/v1/network/nothing", "/v1/nothing"] {
            _ = try await address.owner("GET", path)
        }
        #expect(try await address.ask("GET", "/v1/status").status == 401)
        #expect(try await address.owner("POST", "/v1/tasks/noted/run").status < 300)
        let folder = try TemporaryFolder()
        let prometheus = try await Prometheus(scraping: address, in: folder)
        let asked = Set((dashboard.queries + dashboard.templating.list.compactMap(\.definition)).flatMap(Self.names))
        #expect(asked.count > 30)
        var missing = asked
        _ = try await eventually {
            missing = asked.subtracting(try prometheus.names())
            return missing.isEmpty
        }
        #expect(missing.isEmpty, "\(missing)")
        for query in dashboard.queries {
            #expect(try prometheus.ask(Self.filled(query)) != nil, "\(query)")
            #expect(query.contains(#"job=~"$job", instance=~"$instance""#), "\(query)")
        }
        for query in [
            "corewire_build_info", "process_start_time_seconds > 1.7e9", "process_open_fds < process_max_fds",
        ] {
            #expect(try prometheus.ask(query)?.count == 1, "\(query)")
        }
        try await prometheus.end()
    }

    // MARK: What is counted

    private static func metrics(_ address: LoopbackAddress) async throws -> [String] {
        try await address.owner("GET", "/metrics").text.components(separatedBy: "\n")
    }

    @Test("requests are counted by route pattern and status class, never by path")
    func routes() async throws {
        let address = try await LoopbackAddress.open()
        for key in ["one", "two", "secret-name"] { _ = try await address.owner("GET", "/v1/state/app/\(key)") }
        _ = try await address.owner("GET", "/v1/status")
        for path in ["/none", "/v1/none"] { _ = try await address.owner("GET", path) }
        _ = try await address.ask("GET", "/v1/status", LoopbackAddress.rights("wrong-wrong-wrong-wrong-wrong-wrong"))
        let lines = try await Self.metrics(address)
        func count(_ labels: String) -> String? {
            let start = "corewire_api_request_duration_seconds_count{\(labels)} "
            return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
        }
        #expect(count(#"method="GET",route="/v1/state/{namespace}/{key…}",code="4xx""#) == "3", "\(lines)")
        #expect(count(#"method="GET",route="/v1/status",code="2xx""#) == "1")
        #expect(count(#"method="other",route="none",code="4xx""#) == "2")
        #expect(lines.contains(#"corewire_api_refusals_total{code="401"} 1"#))
        #expect(!lines.contains { $0.contains("secret-name") })
        #expect(lines.contains { $0.hasPrefix("process_cpu_seconds_total ") })
        #expect(lines.contains { $0.hasPrefix(#"corewire_build_info{version=""#) && $0.hasSuffix("} 1") })
    }

    @Test("reloads are counted by outcome, and a gauge shows whether the last one succeeded")
    func reloads() async throws {
        let address = try await LoopbackAddress.open()
        func line(_ name: String) async throws -> String? {
            try await Self.metrics(address).first { $0.hasPrefix("\(name) ") }.map {
                String($0.dropFirst(name.count + 1))
            }
        }
        let (state, time) = (
            "corewire_config_last_reload_successful", "corewire_config_last_reload_success_timestamp_seconds"
        )
        #expect(try await line(state) == "1")
        let first = try #require(try await line(time).flatMap(Double.init))
        #expect(try await line(#"corewire_config_reloads_total{outcome="applied"}"#) == "0", "a start is no reload")
        #expect(try await address.runner.reload("version: 1\nnothing: {}\n").status >= 400)
        #expect(try await line(state) == "0")
        #expect(try await line(time).flatMap(Double.init) == first)
        #expect(try await line(#"corewire_config_reloads_total{outcome="rejected"}"#) == "1")
    }

    @Test(
        "sign-ins and tokens are counted by outcome",
        arguments: [("wonder", "success", "given"), ("wrong", "invalidCredentials", "unavailable")]
    )
    func tokens(password: String, signIn: String, token: String) async throws {
        let address = try await LoopbackAddress.open(
            sections: """
                backends: { issuer: { users: { ada: { password: wonder } } } }
                auth: { flow: password, username: ada, password: \(password) }
                network: {}

                """
        )
        func value(_ series: String) async throws -> Int? {
            let line = try await Self.metrics(address).first { $0.hasPrefix("corewire_auth_\(series) ") }
            return line.flatMap { Int($0.split(separator: " ").last ?? "") }
        }
        #expect(try await eventually { try await value(#"sign_ins_total{mode="user",outcome="\#(signIn)"}"#) ?? 0 > 0 })
        let isGiven = try await address.owner("GET", "/v1/auth/token").status == 200
        #expect(isGiven == (token == "given"))
        let lines = try await Self.metrics(address).filter { $0.hasPrefix("corewire_auth_tokens_total") }
        #expect(try await value(#"tokens_total{mode="user",outcome="\#(token)"}"#) == 1, "\(lines)")
        #expect(try await value(#"renewals_total{mode="user",outcome="success"}"#) == 0)
    }

    @Test("token refreshes are counted, failed ones by kind")
    func renewals() async throws {
        let issuer = "issuer: { accessTokenLifetime: 1s, users: { ada: { password: wonder } } }"
        let address = try await LoopbackAddress.open(
            sections: """
                backends: { \(issuer) }
                auth: { flow: password, username: ada, password: wonder }
                network: {}

                """
        )
        func count(_ outcome: String) async throws -> Int {
            let start = #"corewire_auth_renewals_total{mode="user",outcome="\#(outcome)"} "#
            return try await Self.metrics(address).first { $0.hasPrefix(start) }
                .flatMap { Int($0.dropFirst(start.count)) } ?? 0
        }
        #expect(try await eventually { try await count("success") > 0 })
        #expect(try await count("serverError") == 0)
        let fault = #"{"status": 500}"#
        let answer = try await address.owner(
            "POST",
            "/v1/backends/faults",
            ["Content-Type: application/json"],
            text: fault
        )
        #expect(answer.status < 300, "\(answer.text)")
        #expect(try await eventually { try await count("serverError") > 0 })
    }
}
