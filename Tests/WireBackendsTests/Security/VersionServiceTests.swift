import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireHTTP

@Suite("The embedded mobile security service", .timeLimit(.minutes(2)))
struct VersionServiceTests {
    private static let device = "453de743-207a-4b74-83d6-09a1eb8a2b1f"

    private func start(_ web: Web, _ version: String, app: String = "app", device: String = device) async throws
        -> RawClient.Answer
    {
        let body =
            #"{"deviceId":"\#(device)","appId":"\#(app)","deviceType":"ios","deviceVersion":"12","version":"\#(version)"}"#
        return try await web.send("POST", "/api/init", body)
    }

    private func say(_ house: House, _ version: String, _ disabled: Bool, _ message: String = "") async throws
        -> House.LocalAnswer
    {
        let body = #"{"version":"\#(version)","disabled":\#(disabled),"message":"\#(message)"}"#
        return try await house.local(.post, "/v1/backends/versions", body)
    }

    @Test("a start returns the version, counted by devices and starts")
    func counting() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let first = try await start(web, "1.0.0")
            #expect(first.status == 200)
            let names = first.json.members?.map(\.key)
            #expect(
                names == [
                    "id", "version", "appId", "disabled", "disabledMessage", "numOfCurrentInstalls", "numOfAppLaunches",
                    "lastLaunchedAt",
                ]
            )
            #expect(first.json["disabled"]?.boolean == false && first.json["appId"]?.string == "app")
            _ = try await start(web, "1.0.0")
            let other = try await start(web, "1.0.0", device: "553de743-207a-4b74-83d6-09a1eb8a2b1f").json
            #expect(other["numOfCurrentInstalls"]?.integer == 2 && other["numOfAppLaunches"]?.integer == 3)
            // One of them is updated.
            #expect(try await start(web, "2.0.0").json["numOfCurrentInstalls"]?.integer == 1)
            let app = try #require(try await web.get("/api/apps").json.array?.first)
            #expect(app["numOfDeployedVersions"]?.integer == 2 && app["numOfCurrentInstalls"]?.integer == 2)
            #expect(app["numOfAppLaunches"]?.integer == 4 && app["deployedVersions"] == nil)
            let id = try #require(app["id"]?.string)
            let versions = try await web.get("/api/apps/\(id)").json["deployedVersions"]?.array ?? []
            #expect(versions.map { $0["numOfCurrentInstalls"]?.integer } == [1, 1])
            #expect(versions.last?["devices"]?.array?.first?["deviceId"]?.string == Self.device)
        }
    }

    @Test(
        "an incomplete start is rejected in the service's format",
        arguments: [
            (#"{"appId":"app"}"#, "version property is required"), (#"{"version":"1"}"#, "appId property is required"),
            (#"{"version":"1","appId":"app","deviceId":"none"}"#, "appId is invalid"),
            (#"{"version":"1","appId":"other","deviceId":"DEVICE"}"#, "No bound app found for the sent App ID"),
            ("[]", "Given Param is not valid"), (#"{"version":1}"#, "Given Param is not valid"),
        ]
    )
    func refused(body: String, reason: String) async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let body = body.replacingOccurrences(of: "DEVICE", with: Self.device)
            let answer = try await web.send("POST", "/api/init", body)
            #expect(answer.status == 400)
            #expect(
                String(decoding: answer.body, as: UTF8.self) == #"{"message":"\#(reason)","statusCode":400}"#
            )
        }
    }

    @Test("versions of the file apply until changed; versions removed from the file may run")
    func declared() async throws {
        let seeds = "  security: { versions: { 1.3.0: { disabled: true, message: Please update. } } }\n"
        try await House.run(more: seeds) { house in
            let web = try Web(#require(house.base))
            let told = try await start(web, "1.3.0").json
            #expect(told["disabled"]?.boolean == true && told["disabledMessage"]?.string == "Please update.")
            #expect(try await say(house, "1.3.0", false).status == 200)
            try await house.rebind(House.issuer, more: seeds)
            #expect(try await start(web, "1.3.0").json["disabled"]?.boolean == false)
            let others = "  security: { versions: { 1.4.0: { disabled: true }, 1.3.0: { disabled: true } } }\n"
            try await house.rebind(House.issuer, more: others)
            #expect(try await start(web, "1.3.0").json["disabled"]?.boolean == true)
            try await house.rebind(House.issuer)
            #expect(try await start(web, "1.4.0").json["disabled"]?.boolean == false)
        }
    }

    @Test("versions are disabled and enabled by the local API, separately per environment")
    func switched() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let said = try await say(house, "1.4.0", true, "Please update.")
            #expect(said.status == 200 && said.json["disabled"]?.boolean == true)
            #expect(try await start(web, "1.4.0").json["disabledMessage"]?.string == "Please update.")
            let listed = try await house.local(.get, "/v1/backends/versions").json["versions"]?.array
            #expect(listed?.map { $0["version"]?.string } == ["1.4.0"])
            #expect(
                try await house.local(.post, "/v1/backends/versions", #"{"version":"","disabled":true}"#).status == 400
            )
            try await house.rebind(House.issuer, named: "stage")
            #expect(try await start(web, "1.4.0").json["disabled"]?.boolean == false)
        }
    }

    @Test("apps are created, renamed and deleted, and their versions switched, by the admin API")
    func administration() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let made = try await web.send("POST", "/api/apps", #"{"appId":"com.x","appName":"X"}"#)
            #expect(made.status == 201)
            let id = try #require(made.json["id"]?.string)
            #expect(try await web.send("POST", "/api/apps", #"{"appId":"com.x","appName":"X"}"#).status == 409)
            #expect(try await web.send("POST", "/api/apps", #"{"appId":"com.y"}"#).status == 400)
            #expect(try await web.send("PATCH", "/api/apps/\(id)", #"{"appName":"Y"}"#).status == 204)
            #expect(try await start(web, "1", app: "com.x").status == 200)
            #expect(try await start(web, "2", app: "com.x").status == 200)
            let update = #"[{"version":"1","disabled":true,"disabledMessage":"Old."}]"#
            #expect(try await web.send("PUT", "/api/apps/\(id)/versions", update).status == 204)
            #expect(try await start(web, "1", app: "com.x").json["disabledMessage"]?.string == "Old.")
            let wrong = #"[{"version":"2","disabled":true},{"version":"9","disabled":true}]"#
            #expect(try await web.send("PUT", "/api/apps/\(id)/versions", wrong).status == 404)
            #expect(try await start(web, "2", app: "com.x").json["disabled"]?.boolean == false)
            let disable = #"{"disabledMessage":"Gone."}"#
            #expect(try await web.send("POST", "/api/apps/\(id)/versions/disable", disable).status == 204)
            #expect(try await start(web, "2", app: "com.x").json["disabledMessage"]?.string == "Gone.")
            let found = try await web.get("/api/apps?appId=com.x").json.array
            #expect(found?.compactMap { $0["appName"]?.string } == ["Y"])
            #expect(try await web.ask("DELETE", "/api/apps/\(id)").status == 204)
            #expect(try await web.get("/api/apps/\(id)").status == 404)
            #expect(try await start(web, "1", app: "com.x").status == 400)
            #expect(try await web.get("/api/apps?appId=com.x").status == 204)
        }
    }

    @Test("the service has health, user and metrics endpoints")
    func others() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            for path in ["/api/ping", "/api/healthz"] { #expect(try await web.get(path).json.string == "OK") }
            #expect(try await web.get("/api/user").status == 404)
            #expect(try await web.get("/api/user", ["X-Forwarded-User: ada"]).json["username"]?.string == "ada")
            let counts = String(decoding: try await web.get("/api/metrics").body, as: UTF8.self)
            #expect(counts.contains("mss_apps 1\n"))
            #expect(try await web.ask("DELETE", "/api/init").status == 405)
            // What a page of another origin could send.
            let plain = ["Content-Type: text/plain"]
            #expect(try await web.ask("POST", "/api/apps", plain, body: #"{"appId":"a","appName":"b"}"#).status == 415)
            #expect(try await web.ask("POST", "/api/apps/x/versions/disable").status == 415)
            // The rest below '/api' is HALO's.
            #expect(try await web.get("/api/generalcontent/module").status == 401)
        }
    }

    @Test("with its own address the service is available only there")
    func ownAddress() async throws {
        try await House.run(more: "  security: { listen: \"127.0.0.1:0\" }\n") { house in
            let common = try Web(#require(house.base))
            let answer = try await start(common, "1")
            #expect(answer.status == 404)
            let servers = try await house.api("GET", "/v1/backends").json["servers"]?.array ?? []
            let own = try #require(servers.first { $0["name"]?.string == "security" }?["address"]?.string)
            #expect(try await start(Web(own), "1").status == 200)
        }
    }
}
