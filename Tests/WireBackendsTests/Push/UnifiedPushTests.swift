import Foundation
import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireService

@Suite("The UnifiedPush server", .timeLimit(.minutes(2)))
struct UnifiedPushTests {
    private static let path = "/ups/rest/registry/device"

    @Test("a missing variant secret gets the real server's error")
    func access() async throws {
        try await PushHouse.run { push in
            let body = #"{"deviceToken":"\#(PushHouse.token)"}"#
            let wrong = ["phones:loud", "tablets:quiet", "phones", ":"].map { Data($0.utf8).base64EncodedString() }
            for field in ["X-None: 1", "Authorization: Basic !"] + wrong.map({ "Authorization: Basic \($0)" }) {
                let answer = try await push.web.send("POST", Self.path, body, [field])
                #expect(answer.status == 401)
                #expect(answer.text == #"{"message":"Unauthorized Request","details":{}}"#)
                #expect(answer["WWW-Authenticate"] == "Basic realm=\"AeroGear UnifiedPush Server\"")
            }
            #expect(try await push.web.ask("DELETE", "\(Self.path)/x").status == 401)
            #expect(try await push.web.ask("PUT", "\(Self.path)/pushMessage/x").status == 401)
            for path in ["applications", "applications/phones/installations", "metrics/messages/application/x"] {
                #expect(try await push.web.get("/ups/rest/\(path)").status == 401)
            }
            #expect(try await push.web.send("POST", "/ups/rest/sender", "{}", [push.variant]).status == 401)
            #expect(try await push.overview(of: "ups")["registrations"]?.integer == 0)
        }
    }

    @Test("a registration returns all known data of the device, also after an update")
    func registering() async throws {
        try await PushHouse.run { push in
            let more =
                #""deviceType":"iPhone","operatingSystem":"iOS","osVersion":"12","alias":"ada","categories":["a","a"]"#
            let first = try await push.register(PushHouse.token, more)
            #expect(first.status == 200)
            #expect(first.json["platform"]?.string == "ios" && first.json["enabled"]?.boolean == true)
            #expect(first.json["categories"]?.array?.count == 1 && first.json["alias"]?.string == "ada")
            // The SDK for iOS writes an empty text for no categories.
            let again = try await push.register(PushHouse.token, #""categories":"""#)
            #expect(again.json["id"]?.string == first.json["id"]?.string)
            #expect(again.json["categories"]?.array?.isEmpty == true)
            #expect(try await push.overview(of: "ups")["registrations"]?.integer == 1)
            let moved = try await push.register(PushHouse.other, "", ["x-ag-old-token: \(PushHouse.token)"])
            #expect(moved.status == 200)
            #expect(try await push.overview(of: "ups")["registrations"]?.integer == 1)
            let gone = "\(Self.path)/\(PushHouse.token)"
            #expect(try await push.web.ask("DELETE", gone, [push.variant]).status == 404)
            #expect(try await push.web.ask("DELETE", "\(Self.path)/\(PushHouse.other)", [push.variant]).status == 204)
            #expect(try await push.overview(of: "ups")["registrations"]?.integer == 0)
        }
    }

    @Test("an invalid token, or one of another platform, is rejected without details")
    func tokens() async throws {
        try await PushHouse.run { push in
            for token in ["", "abc", String(repeating: "g", count: 64), String(repeating: "a", count: 5_000)] {
                let answer = try await push.register(token)
                #expect(answer.status == 400 && answer.body.isEmpty)
            }
            #expect(try await push.web.send("POST", Self.path, "{}", [push.variant]).status == 400)
            #expect(try await push.register(PushHouse.token).status == 200)
            #expect(try await push.register(PushHouse.android).status == 400)
            // One that cannot be taken in does not lose its place.
            let none = try await push.register("none", "", ["x-ag-old-token: \(PushHouse.token)"])
            #expect(none.status == 400)
            #expect(try await push.overview(of: "ups")["registrations"]?.integer == 1)
            // With its last device the variant is free to be of another platform.
            let old = "x-ag-old-token: \(PushHouse.token)"
            let other = try await push.register(PushHouse.android, "", [old])
            #expect(other.status == 200 && other.json["platform"]?.string == "android")
        }
    }

    @Test(
        "an invalid request is rejected with its place",
        arguments: [
            #"{"deviceToken":7}"#, "[]", "", "{", #"{"deviceToken":"x","deviceTokn":"y"}"#, "nul",
            #"{"deviceToken":"x","alias":"a\u0007"}"#, #"{"deviceToken":"x","categories":[1]}"#,
            #"{"deviceToken":"x","deviceToken":"y"}"#, #"{"deviceToken":"x","categories":{"a":1}}"#,
        ]
    )
    func hostile(body: String) async throws {
        try await PushHouse.run { push in
            let answer = try await push.web.send("POST", Self.path, body, [push.variant])
            #expect(answer.status == 400 && answer.json["message"]?.string?.isEmpty == false)
            let sent = try await push.web.send("POST", "/ups/rest/sender", #"{"message":\#(body)}"#, [push.sender])
            #expect(sent.status == 400 && sent.json["message"]?.string?.isEmpty == false)
        }
    }

    @Test("an oversized or mistyped body is rejected; deep nesting is harmless")
    func sizes() async throws {
        try await PushHouse.run { push in
            let large = #"{"deviceToken":"\#(String(repeating: "a", count: 300_000))"}"#
            #expect(try await push.web.send("POST", Self.path, large, [push.variant]).status == 413)
            let form = try await push.web.ask(
                "POST",
                Self.path,
                [push.variant, "Content-Type: text/plain"],
                body: "{}"
            )
            #expect(form.status == 415)
            let deep = String(repeating: "[", count: 100_000)
            #expect(try await push.web.send("POST", Self.path, deep, [push.variant]).status == 400)
            #expect(try await push.register(PushHouse.token).status == 200)
        }
    }

    @Test(
        "a message reaches devices that match all criteria, by one value of each",
        arguments: [
            (#"{}"#, 3), (#"{"alias":["ada"]}"#, 1), (#"{"alias":["ada","bob"]}"#, 2), (#"{"categories":["news"]}"#, 2),
            (#"{"categories":["news","sport"],"alias":["ada","eve"]}"#, 1), (#"{"deviceType":["iPad"]}"#, 1),
            (#"{"variants":["phones"]}"#, 3), (#"{"variants":["tablets"]}"#, 0), (#"{"categories":[]}"#, 3),
            (#"{"categories":["none"]}"#, 0), (#"{"variants":["tablets","phones"],"deviceType":["iPhone"]}"#, 2),
        ]
    )
    func criteria(criteria: String, count: Int) async throws {
        try await PushHouse.run { push in
            let tokens = ["aa", "bb", "cc"].map { String(repeating: $0, count: 32) }
            _ = try await push.register(tokens[0], #""alias":"ada","deviceType":"iPhone","categories":["news"]"#)
            _ = try await push.register(tokens[1], #""alias":"bob","deviceType":"iPad","categories":["news","x"]"#)
            _ = try await push.register(tokens[2], #""deviceType":"iPhone""#)
            #expect(try await push.send(#"{"message":{"alert":"Hi"},"criteria":\#(criteria)}"#) == 202)
            #expect(try await push.overview()["carried"]?.integer == count)
        }
    }

    @Test("the payload has the format of APNs and Firebase")
    func payloads() async throws {
        try await PushHouse.run { push in
            _ = try await push.register(PushHouse.token)
            let message = """
                {"message":{"alert":"Hello","sound":"default","badge":7,"user-data":{"k":"v","n":1,"o":{"a":[true]}},
                 "apns":{"title":"News","action-category":"some","content-available":true,"mutable-content":true}}}
                """
            #expect(try await push.send(message) == 202)
            let apple = try #require(try await push.waiting(1).first)
            await push.take([apple])
            #expect(apple.provider == "apns" && apple.token == PushHouse.token)
            let id = try #require(apple.payload["aerogear-push-id"]?.string)
            #expect(
                apple.payload.text() == """
                    {"aps":{"alert":{"title":"News","body":"Hello"},"sound":"default","badge":7,"category":"some",\
                    "content-available":1,"mutable-content":1},"k":"v","n":1,"o":{"a":[true]},\
                    "aerogear-push-id":"\(id)"}
                    """
            )
            _ = try await push.register(PushHouse.android, "", ["x-ag-old-token: \(PushHouse.token)"])
            #expect(try await push.send(message) == 202)
            let google = try #require(try await push.waiting(1).first)
            #expect(google.provider == "firebase" && google.token == PushHouse.android)
            let other = try #require(google.payload["data"]?["aerogear-push-id"]?.string)
            #expect(
                google.payload.text() == """
                    {"data":{"alert":"Hello","sound":"default","badge":"7","k":"v","n":"1","o":"{\\"a\\":[true]}",\
                    "aerogear-push-id":"\(other)"}}
                    """
            )
            #expect(try await push.send(#"{"message":{"user-data":{"aps":1}}}"#) == 400)
        }
    }

    @Test("sent messages are listed with their open count")
    func metrics() async throws {
        try await PushHouse.run { push in
            _ = try await push.register(PushHouse.token)
            for text in ["one", "two", "three"] {
                _ = try await push.web.send(
                    "POST",
                    "/ups/rest/sender",
                    #"{"message":{"alert":"\#(text)"}}"#,
                    [push.sender, "aerogear-sender: tests"]
                )
                push.house.clock.pass(.seconds(1))
            }
            let id = try #require(try await push.waiting(3)[1].payload["aerogear-push-id"]?.string)
            for _ in 0..<2 {
                let opened = try await push.web.ask("PUT", "\(Self.path)/pushMessage/\(id)", [push.variant])
                #expect(opened.status == 200 && opened.text == "{}")
            }
            #expect(try await push.web.ask("PUT", "\(Self.path)/pushMessage/none", [push.variant]).status == 200)
            let path = "/ups/rest/metrics/messages/application/\(try await push.application)"
            let page = try await push.web.get("\(path)?page=0&per_page=2&sort=asc", [push.sender])
            #expect(page["total"] == "3" && page["receivers"] == "0" && page["appOpenedCounter"] == "2")
            #expect(page.json.array?.count == 2)
            let two = try #require(page.json.array?.last)
            #expect(two["id"]?.string == id && two["appOpenCounter"]?.integer == 2)
            #expect(two["clientIdentifier"]?.string == "tests" && two["firstOpenDate"]?.integer != nil)
            #expect(try await push.web.get("\(path)?search=THREE", [push.sender]).json.array?.count == 1)
            #expect(try await push.web.get("\(path)?per_page=101", [push.sender]).status == 400)
            #expect(try await push.web.get("/ups/rest/metrics/messages/application/no", [push.sender]).status == 404)
            let metrics = try await push.web.get("/ups/rest/prometheus/metrics").text
            #expect(metrics.contains("\naerogear_ups_push_requests_total 3\n"))
            #expect(metrics.contains("\naerogear_ups_push_requests_ios 3\n"))
            #expect(metrics.contains("\naerogear_ups_device_register_requests_total 1\n"))
            #expect(try await push.web.get("/ups/rest/ping").text == "OK")
            #expect(try await push.web.get("/ups/rest/sys/info/health").json["status"]?.string == "ok")
        }
    }

    @Test(
        "administrators see application, variants and devices without secrets; a disabled device gets nothing"
    )
    func administration() async throws {
        try await PushHouse.run { push in
            _ = try await push.register(PushHouse.token, #""alias":"ada""#)
            _ = try await push.register(PushHouse.other)
            let token = "Authorization: Bearer \(try await HaloHouse.appToken(push.web))"
            let list = try await push.web.get("/ups/rest/applications?includeDeviceCount=true", [token])
            #expect(list["total"] == "1" && list["deviceCount_variant_phones"] == "2")
            #expect(!list.text.contains("quiet") && !list.text.contains(PushHouse.secret + "\""))
            let id = try await push.application
            let ios = try await push.web.get("/ups/rest/applications/\(id)/ios", [token]).json
            #expect(ios.array?.first?["variantID"]?.string == "phones")
            #expect(try await push.web.get("/ups/rest/applications/\(id)/android", [token]).json.array?.isEmpty == true)
            let path = "/ups/rest/applications/phones/installations/"
            let page = try await push.web.get("\(path)?per_page=1", [token])
            #expect(page["total"] == "2" && page["Link"]?.contains("rel=\"next\"") == true)
            let found = try await push.web.get("\(path)?search=ADA", [token]).json.array?.first
            let device = try #require(found?["id"]?.string)
            let off = #"{"deviceToken":"\#(PushHouse.token)","enabled":false}"#
            #expect(try await push.web.send("PUT", "\(path)\(device)", off, [token]).status == 204)
            _ = try await push.register(PushHouse.token, #""alias":"new""#)
            let kept = try await push.web.get("\(path)\(device)", [token]).json
            #expect(kept["enabled"]?.boolean == false && kept["alias"]?.string == nil)
            #expect(try await push.send(#"{"message":{"alert":"Hi"}}"#) == 202)
            #expect(try await push.waiting(1).map(\.token) == [PushHouse.other])
            #expect(try await push.web.get("/ups/rest/export/phones/installations/", [token]).json.array?.count == 2)
            #expect(try await push.web.ask("DELETE", "\(path)\(device)", [token]).status == 204)
            #expect(try await push.web.get("\(path)\(device)", [token]).status == 404)
        }
    }

    @Test("pages of any origin may register, as with the real server")
    func origins() async throws {
        try await PushHouse.run { push in
            let origin = "Origin: https://app.example.com"
            let preflight = try await push.web.ask("OPTIONS", Self.path, [origin])
            #expect(preflight.status == 200 && preflight["Access-Control-Max-Age"] == "604800")
            #expect(preflight["Access-Control-Allow-Headers"] == "accept, origin, content-type, authorization")
            #expect(preflight["Access-Control-Allow-Methods"] == "POST, DELETE")
            let answer = try await push.register(PushHouse.token, "", [origin])
            #expect(answer["Access-Control-Allow-Origin"] == "https://app.example.com")
            #expect(try await push.web.ask("OPTIONS", "/ups/rest/sender", [origin]).status == 405)
        }
    }

    /// More than are read at once from the store, and in a file larger than any other body may be.
    @Test("thousands of devices are imported by curl, known ones are unchanged, and all are reached")
    func importing() async throws {
        try await PushHouse.run("masterSecret: master, keep: 3000") { push in
            let first = String(repeating: "0", count: 64)
            _ = try await push.register(first, #""alias":"stays""#)
            let devices = (0..<3_000).map { number in
                let digits = String(number)
                let token = String(repeating: "0", count: 64 - digits.count) + digits
                return #"{"deviceToken":"\#(token)","alias":"imported"}"#
            }
            let file = push.house.folder.url.appendingPathComponent("devices.json")
            try Data("[\(devices.joined(separator: ",")),{},{\"deviceToken\":\"none\"}]".utf8).write(to: file)
            let address = try #require(push.house.base) + "\(Self.path)/importer"
            let curl = try await Curl.run(
                "-u",
                "phones:quiet",
                "-F",
                "file=@\(file.path)",
                "-w",
                "%{http_code}",
                address
            )
            #expect(curl == "{}200")
            #expect(try await push.overview(of: "ups")["registrations"]?.integer == 3_000)
            #expect(try await push.send(#"{"message":{"alert":"Hi"},"criteria":{"alias":["imported"]}}"#) == 202)
            #expect(try await push.overview()["waiting"]?.integer == 2_999)
            let none = try await Curl.run("-u", "phones:quiet", "-F", "other=x", address)
            #expect(none.contains("no part 'file'"))
            let plain = try await push.web.send("POST", "\(Self.path)/importer", "[]", [push.variant])
            #expect(plain.status == 400)
        }
    }
}

/// A client of somebody else.
enum Curl {
    static func run(_ arguments: String...) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try Program.run("/usr/bin/curl", ["-s"] + arguments).output })
            }
        }
    }
}
