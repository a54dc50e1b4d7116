import Foundation
import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireService
import WireSQLite
import WireStore

@Suite("Altcraft's API", .timeLimit(.minutes(2)))
struct AltcraftTests {
    @Test("a device subscribes, suspends, resumes and unsubscribes; with 'sync' the response has the result")
    func life() async throws {
        try await AltcraftDevice.run { device in
            #expect(try await device.current == "none")
            let inner = #""fields":{"_os":"IOS","n":1},"cats":[{"name":"news","title":"News","steady":true}]"#
            let first = try await device.subscribe(inner: inner)
            #expect(first.status == 200 && first.json["error"]?.integer == 0)
            #expect(first.json["error_text"]?.string == "")
            let profile = first.json["profile"]
            let subscription = profile?["subscription"]
            #expect(profile?["status"]?.string == "active" && profile?["is_test"]?.boolean == false)
            #expect(subscription?["subscription_id"]?.string == device.token)
            #expect(subscription?["cats"]?.text() == #"[{"name":"news","title":"News","steady":true,"active":true}]"#)
            #expect(subscription?["fields"]?.text() == #"{"_os":"IOS","n":1}"#)
            for (status, sync) in [("suspended", "true"), ("unsubscribed", "0"), ("subscribed", "false")] {
                let answer = try await device.subscribe(status, sync: sync)
                #expect((answer.json["profile"] != nil) == (sync == "true"))
                #expect(try await device.current == status)
            }
            // It is still the same profile, and what was not said stays.
            let last = try await device.subscribe()
            #expect(last.json["profile"]?["id"]?.string == profile?["id"]?.string)
            #expect(last.json["profile"]?["subscription"]?["cats"]?.array?.count == 1)
            #expect(try await device.push.overview(of: "altcraft")["registrations"]?.integer == 1)
        }
    }

    @Test("only the role token, and identity server tokens with a claim 'matching', are accepted")
    func access() async throws {
        try await AltcraftDevice.run { device in
            var unknown = device
            for field in [
                "X: 1", "Authorization: Bearer rtoken@other", "Authorization: Basic cm9sZQ==",
                "Authorization: Bearer x", "Authorization: rtoken@role",
            ] {
                unknown.authorization = field
                let answer = try await unknown.subscribe()
                #expect(answer.status == 401 && answer.json["error"]?.integer == 401)
                #expect(answer.json["error_text"]?.string?.isEmpty == false)
            }
            for (name, password) in [("nobody", "n"), ("cyd", "c")] {
                let answer = try await device.signedIn(name, password).subscribe()
                #expect(answer.status == 403 && answer.json["error_text"]?.string?.contains("'matching'") == true)
            }
            #expect(try await device.signedIn("eve", "evil").subscribe().status == 403)
            let ada = try await device.signedIn("ada", "wonder")
            #expect(try await ada.subscribe().status == 200)
            var wrong = ada
            wrong.mode = "push_sub"
            #expect(try await wrong.subscribe().status == 400)
            device.push.house.clock.pass(.seconds(301))
            #expect(try await ada.subscribe().status == 401)
            // The SDK for iOS sends the role token itself as the mode.
            var quirk = device
            quirk.mode = "role"
            #expect(try await quirk.subscribe().status == 200)
            quirk.mode = "email"
            #expect(try await quirk.subscribe().status == 400)
        }
    }

    @Test("profiles on one device are separate; 'replace' ends the other subscriptions")
    func people() async throws {
        try await AltcraftDevice.run { device in
            let (ada, bob) = (try await device.signedIn("ada", "wonder"), try await device.signedIn("bob", "builder"))
            let first = try await ada.subscribe().json["profile"]?["id"]?.string
            let second = try await bob.subscribe().json["profile"]?["id"]?.string
            #expect(first != nil && first != second)
            #expect(try await ada.current == "subscribed")
            #expect(try await bob.current == "subscribed")
            // A message goes to a device once, whoever is known there.
            #expect(try await device.send(#"{"title":"Hi"}"#).json["devices"]?.integer == 1)
            #expect(try await ada.subscribe(more: #""replace":true"#).status == 200)
            #expect(try await ada.current == "subscribed")
            #expect(try await bob.current == "unsubscribed")
            #expect(try await device.current == "none")
        }
    }

    @Test("a new token moves the subscriptions of all profiles on the device")
    func newToken() async throws {
        try await AltcraftDevice.run { device in
            let ada = try await device.signedIn("ada", "wonder")
            _ = try await device.subscribe("suspended")
            _ = try await ada.subscribe()
            func update(_ query: String, _ new: String = PushHouse.android) async throws -> RawClient.Answer {
                try await device.ask(
                    "subscription/push/update/",
                    query,
                    """
                    {"old_token":"\(device.token)","old_provider":"ios-apns","new_token":"\(new)",
                     "new_provider":"ios-firebase"}
                    """
                )
            }
            let query = "provider=ios-firebase&subscription_id=\(device.token)"
            #expect(try await update("provider=ios-apns&subscription_id=\(device.token)").status == 400)
            #expect(try await update("provider=ios-firebase&subscription_id=x").status == 400)
            let answer = try await update("\(query)&sync=true")
            #expect(answer.status == 200)
            #expect(answer.json["profile"]?["subscription"]?["status"]?.string == "suspended")
            #expect(try await device.current == "none")
            #expect(try await ada.current == "none")
            var now = ada
            (now.provider, now.token) = ("ios-firebase", PushHouse.android)
            #expect(try await now.current == "subscribed")
            #expect(try await update(query).status == 404)
            #expect(try await device.push.overview(of: "altcraft")["registrations"]?.integer == 2)
        }
    }

    @Test("a suspended subscription is found and resumed; without one there is no profile")
    func unsuspending() async throws {
        try await AltcraftDevice.run { device in
            let ada = try await device.signedIn("ada", "wonder")
            _ = try await device.subscribe()
            _ = try await ada.subscribe("suspended")
            let query = "provider=ios-apns&subscription_id=\(device.token)"
            let body = #"{"subscription":{"subscription_id":"\#(device.token)","provider":"ios-apns"},"replace":true}"#
            let answer = try await device.ask("subscription/push/unsuspend/", query, body)
            #expect(answer.json["profile"]?["subscription"]?["status"]?.string == "subscribed")
            #expect(try await ada.current == "subscribed")
            #expect(try await device.current == "unsubscribed")
            let none = try await device.ask("subscription/push/unsuspend/", query, body)
            #expect(none.status == 200 && none.text == #"{"error":0,"error_text":"","profile":null}"#)
            let other = "provider=ios-huawei&subscription_id=\(device.token)"
            #expect(try await device.ask("subscription/push/unsuspend/", other, body).status == 400)
        }
    }

    @Test("the status is that of the latest, of a provider's latest, or of one subscription")
    func statuses() async throws {
        try await AltcraftDevice.run { device in
            let ada = try await device.signedIn("ada", "wonder")
            var other = ada
            (other.provider, other.token) = ("android-firebase", PushHouse.android)
            _ = try await ada.subscribe("suspended")
            device.push.house.clock.pass(.seconds(1))
            _ = try await other.subscribe()
            func provider(_ query: String) async throws -> String? {
                try await ada.status(query).json["profile"]?["subscription"]?["provider"]?.string
            }
            #expect(try await provider("") == "android-firebase")
            #expect(try await provider("provider=ios-apns") == "ios-apns")
            #expect(try await provider("provider=ios-apns&subscription_id=\(ada.token)") == "ios-apns")
            #expect(try await provider("provider=ios-apns&subscription_id=none") == nil)
            #expect(try await provider("provider=ios-huawei") == nil)
            #expect(try await ada.status("subscription_id=x").status == 400)
            #expect(try await ada.status("provider=apns").status == 400)
            // Without a person a device must say which it is.
            #expect(try await device.status("").status == 400)
        }
    }

    @Test("profile fields are set, unset, incremented, added and deleted, all or nothing")
    func fields() async throws {
        try await AltcraftDevice.run { device in
            let ada = try await device.signedIn("ada", "wonder")
            #expect(try await ada.ask("profile/update", "", #"{"profile_fields":{"a":1}}"#).status == 404)
            _ = try await ada.subscribe(
                more: #""profile_fields":{"name":"Ada","n":1,"l":{"action":"add","value":"x"}}"#
            )
            let changes = """
                {"profile_fields":{"name":{"action":"set","value":"Countess"},"n":{"action":"incr","value":2},
                 "l":{"action":"add","value":"x"},"u":{"action":"upsert","value":"y"},"gone":{"action":"unset"}},
                 "skip_triggers":true}
                """
            #expect(try await ada.ask("profile/update", "", changes).text == #"{"error":0,"error_text":""}"#)
            let more = #"{"profile_fields":{"u":{"action":"upsert","value":"y"},"l":{"action":"delete","value":"x"}}}"#
            #expect(try await ada.ask("profile/update", "", more).status == 200)
            for wrong in [
                #"{"name":{"action":"incr","value":1}}"#, #"{"n":{"action":"add","value":1}}"#,
                #"{"n":{"action":"incr","value":"x"}}"#, #"{"n":{"action":"grow","value":1}}"#,
                #"{"n":{"action":"set"}}"#, #"{"n":{"value":1}}"#, "[]",
                #"{"ok":1,"name":{"action":"incr","value":1}}"#,
            ] {
                let answer = try await ada.ask("profile/update", "", #"{"profile_fields":\#(wrong)}"#)
                #expect(answer.status == 400, "\(wrong)")
            }
            #expect(
                try device.push.house.altcraftFields()
                    == [#"{"name":"Countess","n":3,"l":[],"u":["y"]}"#]
            )
            // A list is set to whatever somebody likes, and does not grow for ever.
            let full = String(repeating: "0,", count: 998) + "0"
            #expect(try await ada.ask("profile/update", "", #"{"profile_fields":{"l":[\#(full)]}}"#).status == 200)
            let last = #"{"profile_fields":{"l":{"action":"add","value":0}}}"#
            #expect(try await ada.ask("profile/update", "", last).status == 200)
            for action in ["add", "upsert"] {
                let grown = #"{"profile_fields":{"l":{"action":"\#(action)","value":1}}}"#
                #expect(try await ada.ask("profile/update", "", grown).status == 400)
            }
            let known = #"{"profile_fields":{"l":{"action":"upsert","value":0}}}"#
            #expect(try await ada.ask("profile/update", "", known).status == 200)
        }
    }

    @Test("a repeated Request-ID is processed once")
    func requestIDs() async throws {
        try await AltcraftDevice.run { device in
            let id = ["Request-ID: 7f6c"]
            let visit = #""profile_fields":{"n":{"action":"incr","value":1}}"#
            let first = try await device.subscribe(more: visit, id)
            for _ in 0..<3 { #expect(try await device.subscribe(more: visit, id).text == first.text) }
            #expect(try device.push.house.altcraftFields() == [#"{"n":1}"#])
            // Somebody else's request of the same name is another one, and so is one that failed.
            let ada = try await device.signedIn("ada", "wonder")
            #expect(try await ada.subscribe(more: visit, id).text != first.text)
            let wrong = ["Request-ID: wrong"]
            #expect(try await device.subscribe("asleep", wrong).status == 400)
            #expect(try await device.subscribe("suspended", wrong).status == 200)
        }
    }

    @Test(
        "an invalid request is rejected with its place",
        arguments: [
            ("provider=ios-apns", #"{"time":1}"#, "subscription_id"), ("provider=ios-apns", "", "body"),
            ("provider=ios-apns", "[1,2]", "body"),
            (
                "provider=ios-apns", #"{"time":"now","subscription_id":"t","subscription":{}}"#, "time"
            ),
            (
                "provider=ios-apns",
                #"{"time":1,"subscription_id":"t","subscription":{"subscription_id":"u","provider":"ios-apns"}}"#,
                "subscription_id"
            ),
            (
                "provider=apple",
                #"{"time":1,"subscription_id":"t","subscription":{"subscription_id":"t","provider":"apple"}}"#,
                "provider"
            ),
            (
                "provider=ios-huawei",
                #"{"time":1,"subscription_id":"t","subscription":{"subscription_id":"t","provider":"ios-apns"}}"#,
                "provider"
            ),
            (
                "provider=ios-apns",
                #"{"time":1,"subscription_id":"t t","subscription":{"subscription_id":"t t","provider":"ios-apns"}}"#,
                "subscription_id"
            ),
            (
                "provider=ios-apns",
                #"{"time":1,"subscription_id":"t","subscription":{"subscription_id":"t","provider":"ios-apns","fields":{"a":[]}}}"#,
                "fields"
            ),
            (
                "provider=ios-apns&sync=yes",
                #"{"time":1,"subscription_id":"t","subscription":{"subscription_id":"t","provider":"ios-apns"}}"#,
                "sync"
            ),
        ]
    )
    func hostile(query: String, body: String, place: String) async throws {
        try await AltcraftDevice.run { device in
            let answer = try await device.ask("subscription/push/subscribe/", query, body)
            #expect(answer.status == 400 && answer.json["error"]?.integer == 400)
            #expect(answer.json["error_text"]?.string?.contains(place) == true)
            #expect(try await device.push.overview(of: "altcraft")["registrations"]?.integer == 0)
        }
    }

    @Test("a message has the platform's format per provider, and is sent to a category or a device")
    func sending() async throws {
        try await AltcraftDevice.run { device in
            _ = try await device.subscribe(inner: #""cats":[{"name":"news"},{"name":"off","active":false}]"#)
            var other = device
            (other.provider, other.token) = ("android-huawei", PushHouse.android)
            _ = try await other.subscribe()
            let message = """
                {"title":"Hi","body":"There","media":"https://x/y.png","clickUrl":"app://z","badge":2,
                 "buttons":[{"label":"Yes","link":"app://yes"}],"data":{"k":7}}
                """
            #expect(try await device.send(message, to: #"{"categories":["off"]}"#).json["devices"]?.integer == 0)
            let sent = try await device.send(message, to: #"{"categories":["news"]}"#)
            #expect(sent.status == 202 && sent.json["devices"]?.integer == 1)
            let uid = try #require(sent.json["uid"]?.string)
            let apple = try #require(try await device.push.waiting(1).first)
            #expect(apple.provider == "apns" && apple.token == device.token)
            #expect(
                apple.payload.text() == """
                    {"aps":{"alert":{"title":"Hi","body":"There"},"sound":"default","badge":2,"mutable-content":1},\
                    "_ac_push":"1","_uid":"\(uid)","_buttons":"[{\\"label\\":\\"Yes\\",\\"link\\":\\"app://yes\\"}]",\
                    "_media":"https://x/y.png","_click-url":"app://z","k":7}
                    """
            )
            await device.push.take([apple])
            let next = try await device.send(message, to: #"{"subscriptions":["\#(other.token)"]}"#).json
            let huawei = try #require(try await device.push.waiting(1).first)
            #expect(huawei.provider == "huawei" && huawei.token == other.token)
            let data = try JSONValue(parsing: Array((huawei.payload["data"]?.string ?? "").utf8), named: "data")
            #expect(data["_uid"]?.string == next["uid"]?.string && data["_title"]?.string == "Hi")
            #expect(data["_image"]?.string == "https://x/y.png" && data["k"]?.string == "7")
            #expect(try await device.send(#"{"data":{"_uid":"x"}}"#).status == 400)
            let unknown = try await device.ask("corewire/send", "", #"{"message":{}}"#)
            #expect(unknown.status == 401)
        }
    }

    @Test("deliveries and opens are counted once per Request-ID, in all formats of the SDKs")
    func pushEvents() async throws {
        try await AltcraftDevice.run { device in
            _ = try await device.subscribe()
            let uid = try #require(try await device.send(#"{"title":"Hi"}"#).json["uid"]?.string)
            for (event, smid, id) in [
                ("delivery", uid, "a"), ("delivery", uid, "a"), ("open", "\(uid)open", "b"), ("open", uid, "c"),
                ("delivery", "unknown", "d"),
            ] {
                let body = #"{"time":1760000000,"smid":"\#(smid)"}"#
                let answer = try await device.ask(
                    "event/push/\(event)",
                    "matching_mode=push_sub",
                    body,
                    ["Request-ID: \(id)"]
                )
                #expect(answer.text == #"{"error":0,"error_text":""}"#)
            }
            let overview = try await device.push.overview(of: "altcraft")
            #expect(overview["delivered"]?.integer == 1 && overview["opened"]?.integer == 2)
            #expect(try await device.ask("event/push/dismiss", "", "{}").status == 404)
            #expect(try await device.ask("event/push/open", "", #"{"smid":"x"}"#).status == 400)
        }
    }

    @Test("app events arrive as multipart forms, and update the profile")
    func mobileEvents() async throws {
        try await AltcraftDevice.run { device in
            let ada = try await device.signedIn("ada", "wonder")
            _ = try await ada.subscribe()
            let parts = [
                ("tz", "-180"), ("t", "1760000000"), ("aci", "x"), ("wn", "bought"), ("wd", #"{"sum":7}"#),
                ("cn", "spring"), ("mi", #""smid""#), ("pf", #"{"spent":{"action":"incr","value":7}}"#),
            ]
            #expect(try await ada.event(parts).text == #"{"error":0,"error_text":""}"#)
            #expect(try device.push.house.altcraftFields() == [#"{"spent":7}"#])
            for wrong in ["tr=px&t=open&v=2", "i=s&tr=px&t=open&v=1", "i=s"] {
                #expect(try await ada.event(parts, wrong).status == 400)
            }
            for missing in ["tz", "t", "wn"] {
                #expect(try await ada.event(parts.filter { $0.0 != missing }).status == 400)
            }
            for (name, text) in [("wd", "{"), ("tz", "\(Int.min)"), ("pf", "[]"), ("wn", "")] {
                #expect(try await ada.event(parts.filter { $0.0 != name } + [(name, text)]).status == 400)
                #expect(try await ada.event(parts + parts.filter { $0.0 == name }).status == 400)
            }
            let plain = try await ada.ask("event/post", "i=s&tr=px&t=open&v=2", "{}")
            #expect(plain.status == 400)
        }
    }

    @Test("subscriptions survive the runner")
    func kept() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        try await AltcraftDevice.run(in: folder, clock: clock) { device in
            let answer = try await device.subscribe("suspended", ["Request-ID: once"])
            #expect(answer.status == 200)
        }
        try await AltcraftDevice.run(in: folder, clock: clock) { device in
            #expect(try await device.current == "suspended")
            _ = try await device.subscribe("subscribed", ["Request-ID: once"])
            #expect(try await device.current == "suspended")
        }
    }
}

extension House {
    /// The fields of every profile that has some, as they are kept.
    func altcraftFields() throws -> [String] {
        let space = try #require(try store.namespaces().first { $0.hasSuffix("/push/profiles") })
        return try store.list(space, prefix: "", after: nil, limit: 100).compactMap { summary in
            guard let entry = try store.entry(summary.key, in: space) else { return nil }
            let fields = try JSONValue(parsing: entry.bytes, named: "profile")["fields"]
            return fields?.members?.isEmpty == false ? fields?.text() : nil
        }
    }
}
