import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP

@Suite("HALO's pushes", .timeLimit(.minutes(2)))
struct HaloPushTests {
    private func devices(_ halo: HaloHouse) async throws {
        for (alias, platform, token, ward) in [
            ("cart-17", "ios", PushHouse.token, "3B"), ("cart-18", "android", "fcm:18", "3B"),
            ("cart-19", "android", "fcm:19", "3C"),
        ] {
            let body = """
                {"alias":"\(alias)","devices":[{"platform":"\(platform)","token":"\(token)"}],
                 "tags":[{"name":"ward","value":"\(ward)"}]}
                """
            #expect(try await halo.send("POST", "segmentation/appuser", body).status == 201)
        }
    }

    private func pushes(_ halo: HaloHouse, _ count: Int) async throws -> [CarriedPush] {
        let pushing = try #require(halo.house.pushing)
        var found: [CarriedPush] = []
        if count == 0 { return [] }
        for await push in pushing.pushes() {
            found.append(push)
            await pushing.acknowledge(push.id)
            if found.count == count { break }
        }
        return found
    }

    @Test(
        "a notification reaches devices that match all tags and one alias",
        arguments: [
            (#"{}"#, 3), (#"{"filterTags":[{"name":"ward","value":"3B"}]}"#, 2),
            (#"{"filterTags":[{"name":"ward"}]}"#, 3),
            (#"{"aliases":["cart-19","cart-18"]}"#, 2), (#"{"filterTags":[{"name":"role"}]}"#, 0),
            (#"{"filterTags":[{"name":"ward","value":"3B"}],"aliases":["cart-19","cart-18"]}"#, 1),
        ]
    )
    func targets(target: String, count: Int) async throws {
        try await HaloHouse.run { halo in
            try await devices(halo)
            let rest = target == "{}" ? "" : "," + target.dropFirst().dropLast()
            let body = #"{"appId":1,"name":"n","payload":{"notification":{"title":"Hi"}}\#(rest)}"#
            let answer = try await halo.send("POST", "push/schedule/", body)
            #expect(answer.status == 201 && answer.json["devices"]?.integer == count)
            #expect(answer.json["status"]?.string == "sent")
        }
    }

    @Test("the payload has the provider's format: visible, silent, or with a sign-in code")
    func payloads() async throws {
        try await HaloHouse.run { halo in
            try await devices(halo)
            let body = """
                {"payload":{"notification":{"title":"Hi","body":"There","badge":"3","click_action":"open"},
                 "data":{"image":"{\\"url\\":\\"https://x/y\\"}","type":"2_factor","code":"123"}},
                 "aliases":["cart-17","cart-18"]}
                """
            let id = try #require(try await halo.send("POST", "push/schedule", body).json["id"]?.string)
            let shown = try await pushes(halo, 2).sorted { $0.provider < $1.provider }
            #expect(shown.map(\.provider) == ["apns", "firebase"] && shown[1].token == "fcm:18")
            #expect(
                shown[0].payload.text() == """
                    {"aps":{"alert":{"title":"Hi","body":"There"},"badge":3,"category":"open"},\
                    "image":"{\\"url\\":\\"https://x/y\\"}","type":"2_factor","code":"123","scheduleId":"\(id)"}
                    """
            )
            #expect(shown[1].payload["notification"]?["title"]?.string == "Hi")
            #expect(shown[1].payload["data"]?["code"]?.string == "123")
            #expect(shown[1].payload["data"]?["scheduleId"]?.string == id)
            let silent = #"{"payload":{"data":{"content_available":1}},"aliases":["cart-17"]}"#
            _ = try await halo.send("POST", "push/schedule/", silent)
            let quiet = try #require(try await pushes(halo, 1).first)
            #expect(quiet.payload["aps"]?.text() == #"{"content-available":1}"#)
        }
    }

    @Test("a scheduled push is sent at its time, also after a restart")
    func scheduled() async throws {
        let (folder, clock) = (try HaloHouse.folder(), HandClock())
        try await HaloHouse.run(in: folder, clock: clock) { halo in
            try await devices(halo)
            for (name, after) in [("later", 100_000), ("soon", 10_000)] {
                let time = clock.clockwork.wall() + Int64(after)
                let body = """
                    {"name":"\(name)","sendOn":\(time),"aliases":["cart-17"],
                     "payload":{"notification":{"title":"\(name)"}}}
                    """
                let answer = try await halo.send("POST", "push/schedule/", body)
                #expect(answer.json["status"]?.string == "scheduled" && answer.json["devices"]?.integer == 0)
            }
            // One sleeps for the keys, one for the pushes.
            #expect(await eventually { clock.sleepers >= 2 })
            clock.pass(.seconds(11))
            #expect(try await pushes(halo, 1).first?.payload["aps"]?["alert"]?["title"]?.string == "soon")
        }
        try await HaloHouse.run(in: folder, clock: clock) { halo in
            #expect(await eventually { clock.sleepers >= 2 })
            clock.pass(.seconds(90))
            let later = try await pushes(halo, 1)
            #expect(later.first?.payload["aps"]?["alert"]?["title"]?.string == "later")
        }
    }

    @Test("each device reports an event of an existing schedule once")
    func activity() async throws {
        try await HaloHouse.run { halo in
            try await devices(halo)
            let body = #"{"payload":{"notification":{"title":"Hi"}}}"#
            let id = try await halo.send("POST", "push/schedule/", body).json["id"]?.string ?? ""
            func tell(_ action: String, _ device: String, _ schedule: String) async throws -> Int {
                try await halo.send(
                    "POST",
                    "push/schedule/activity",
                    #"{"platform":"ios","schedule":"\#(schedule)","device":"\#(device)","action":"\#(action)"}"#
                ).status
            }
            for (action, device) in [
                ("receipt", "a"), ("receipt", "b"), ("open", "a"), ("open", "a"), ("dismiss", "b"),
            ] {
                #expect(try await tell(action, device, id) == 200)
            }
            #expect(try await tell("open", "a", "0123456789abcdef01234567") == 404)
            #expect(try await tell("eaten", "a", id) == 400)
            let servers = try await halo.house.local(.get, "/v1/backends/push").json["servers"]?.array ?? []
            let overview = try #require(servers.first { $0["name"]?.string == "halo" })
            #expect(overview["delivered"]?.integer == 2 && overview["opened"]?.integer == 1)
            #expect(overview["dismissed"]?.integer == 1 && overview["registrations"]?.integer == 3)
            #expect(try await halo.web.send("POST", "/api/push/schedule/", body).status == 401)
            for wrong in [
                "{}", "[]", #"{"payload":{"notification":{"badge":"x"}}}"#, #"{"payload":{"data":{"aps":1}}}"#,
                #"{"payload":{},"aliases":[1]}"#, #"{"payload":{},"sendOn":"now"}"#,
            ] {
                let answer = try await halo.send("POST", "push/schedule/", wrong)
                #expect(answer.status == 400 && answer.json["error"]?["type"]?.string == "HaloError", "\(wrong)")
            }
        }
    }
}
