import Testing
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireNetworkContract
import WirePush
import WirePushContract
import WireService
import Workbench

/// Fixtures are written from the reference of the servers, not from what the program sends.
@Suite("The wire format of push requests")
struct PushWireTests {
    private static let apns = ProviderToken(.apns, String(repeating: "a1", count: 32))
    private static let former = ProviderToken(.apns, String(repeating: "b2", count: 32))
    private static let firebase = ProviderToken(.firebase, "fcm:token/1")

    private static var moment: PushRequestValues {
        var device = PushDevice()
        (device.alias, device.platform, device.systemVersion, device.type) = ("cart-17", "Linux", "12", "Kiosk")
        (device.model, device.language, device.minutesAheadOfUTC) = ("T14", "en", 180)
        (device.appID, device.appVersion, device.environment) = ("com.example.tasks", "1.4.0", "prod")
        var moment = PushRequestValues(device: device, time: 1_760_000_000_123, id: "0b9c")
        moment.token = apns
        return moment
    }

    private static func registrar(_ text: String) throws -> Registrar {
        let file = try SectionInFile<PushSection>(
            file: """
                version: 1
                app: { id: com.example.tasks, version: 1.4.0 }
                environments: { prod: { baseUrl: "https://api.example.com" } }
                environment: prod
                auth: { url: https://sso.example.com, clientIds: { prod: tasks }, redirectUri: com.example.tasks://x }
                device: {}
                push:
                  tokens: { apns: app, firebase: app, huawei: app }
                  registrars: { it: \(text) }

                """,
            environment: "prod"
        )
        return try #require(file.settings.registrars["it"])
    }

    /// A request as it would be written.
    private static func text(_ call: PushCall) -> String {
        var text = "\(call.method.name) \(call.address)\n"
        for field in call.fields.all { text += "\(field.name): \(field.value)\n" }
        return text + "\n" + String(decoding: call.body, as: UTF8.self)
    }

    // MARK: UnifiedPush

    private static let ups =
        "{ type: unifiedPush, url: https://push.example.com/ups/, variantId: v-1, variantSecret: s-1, alias: ada, categories: [news, deals] }"

    @Test("a UnifiedPush registration has the variant's credentials, and the former token")
    func unifiedPush() throws {
        let account = try #require(try Self.registrar(Self.ups).settings(UnifiedPushRegistrar.self))
        let wire = UnifiedPushWire(account, at: account.url.text)
        let token = String(repeating: "a1", count: 32)
        let body =
            #"{"deviceToken":"\#(token)","deviceType":"Kiosk","operatingSystem":"Linux","osVersion":"12","#
            + #""alias":"ada","categories":["news","deals"]}"#
        #expect(
            Self.text(wire.register(Self.apns, former: nil, Self.moment.device)) == """
                POST https://push.example.com/ups/rest/registry/device
                Authorization: Basic di0xOnMtMQ==
                Content-Type: application/json

                \(body)
                """
        )
        #expect(
            wire.register(Self.apns, former: Self.former, Self.moment.device).fields["x-ag-old-token"]
                == String(repeating: "b2", count: 32)
        )
        #expect(wire.register(Self.apns, former: Self.apns, Self.moment.device).fields["x-ag-old-token"] == nil)
        #expect(
            Self.text(wire.unregister(Self.firebase)) == """
                DELETE https://push.example.com/ups/rest/registry/device/fcm%3Atoken%2F1
                Authorization: Basic di0xOnMtMQ==


                """
        )
        #expect(
            Self.text(wire.opened("9a/b")) == """
                PUT https://push.example.com/ups/rest/registry/device/pushMessage/9a%2Fb
                Authorization: Basic di0xOnMtMQ==


                """
        )
    }

    @Test("absent device facts are sent as by the SDKs: an empty alias, a list without categories")
    func unifiedPushAlone() throws {
        let text = "{ type: unifiedPush, url: https://p.example.com, variantId: v-1, variantSecret: s-1 }"
        let account = try #require(try Self.registrar(text).settings(UnifiedPushRegistrar.self))
        let call = UnifiedPushWire(account, at: account.url.text).register(Self.apns, former: nil, PushDevice())
        #expect(String(decoding: call.body, as: UTF8.self).hasSuffix(#""alias":"","categories":[]}"#))
    }

    // MARK: Altcraft

    private static func altcraft(_ more: String = "") throws -> (AltcraftRegistrar, AltcraftWire) {
        let text = "{ type: altcraft, url: https://pxl.example.com, rToken: r-1\(more) }"
        let account = try #require(try registrar(text).settings(AltcraftRegistrar.self))
        let authorization = try AltcraftAuthorization(
            roleToken: account.roleToken?.text ?? Secret(""),
            matchingMode: account.matchingMode?.text,
            with: OpenSSLSecrecy()
        )
        return (account, AltcraftWire(account, authorization, at: account.url.text))
    }

    private static let device =
        #"{"_os":"IOS","_os_tz":"+0300","_os_language":"en","_os_ver":"12","_device_type":"Mobile","_device_model":"T14","#
        + #""_device_name":"cart-17","_ad_track":false,"_app_id":"com.example.tasks","_app_iid":"cart-17","#
        + #""_app_ver":"1.4.0","ward":"3B","floor":2}"#

    @Test(
        "an Altcraft subscription equals that of the iOS SDK",
        arguments: ["subscribed", "unsubscribed", "suspended"]
    )
    func subscribe(status: String) throws {
        let (account, wire) = try Self.altcraft(
            ", customFields: { ward: 3B, floor: 2 }, categories: { c1: { title: t } }, "
                + "profileFields: { _fname: Ada, visits: { action: incr, value: 1 }, old: { action: unset } }"
        )
        let token = String(repeating: "a1", count: 32)
        let body =
            #"{"time":1760000000,"subscription_id":"\#(token)","subscription":{"subscription_id":"\#(token)","#
            + #""provider":"ios-apns","status":"\#(status)","fields":\#(Self.device),"#
            + #""cats":[{"name":"c1","title":"t","steady":false,"active":true}]},"#
            + #""profile_fields":{"_fname":"Ada","visits":{"action":"incr","value":1},"old":{"action":"unset"}},"#
            + #""replace":false,"skip_triggers":false}"#
        let kind = try #require(AltcraftWire.Status(rawValue: status))
        #expect(
            Self.text(wire.subscribe(Self.apns, kind, AltcraftParameters(account), Self.moment)) == """
                POST https://pxl.example.com/subscription/push/subscribe/?provider=ios-apns&matching_mode=push_sub&sync=1
                Authorization: Bearer rtoken@r-1
                Request-ID: 0b9c
                Content-Type: application/json

                \(body)
                """
        )
    }

    @Test("for Android the SDK's names are used: providers, booleans, device type")
    func android() throws {
        let (account, wire) = try Self.altcraft(", platform: android, sync: false")
        let call = wire.subscribe(Self.firebase, .subscribed, AltcraftParameters(account), Self.moment)
        #expect(call.address.hasSuffix("?provider=android-firebase&matching_mode=push_sub&sync=false"))
        let body = String(decoding: call.body, as: UTF8.self)
        #expect(body.contains(#""_os":"Android""#) && body.contains(#""_device_type":"mob""#))
        #expect(
            wire.update(Self.former, Self.firebase, id: "u").address
                == "https://pxl.example.com/subscription/push/update/?provider=android-firebase&subscription_id="
                + String(repeating: "b2", count: 32) + "&sync=true"
        )
        #expect(!wire.unsuspend(Self.firebase, id: "u").address.contains("matching_mode"))
        #expect(wire.eventCall(.open, of: "p", Self.moment)?.fields["Request-ID"] == "0b9c")
    }

    @Test("Altcraft gets a new token with the former one, and the end of a suspension")
    func updates() throws {
        let (_, wire) = try Self.altcraft()
        let (new, old) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))
        #expect(
            Self.text(wire.update(Self.former, Self.apns, id: "u")) == """
                POST https://pxl.example.com/subscription/push/update/?provider=ios-apns&subscription_id=\(old)
                Authorization: Bearer rtoken@r-1
                Request-ID: u
                Content-Type: application/json

                {"old_token":"\(old)","old_provider":"ios-apns","new_token":"\(new)","new_provider":"ios-apns"}
                """
        )
        #expect(
            Self.text(wire.unsuspend(Self.apns, id: "u")) == """
                POST https://pxl.example.com/subscription/push/unsuspend/?provider=ios-apns&subscription_id=\(new)&matching_mode=push_sub
                Authorization: Bearer rtoken@r-1
                Request-ID: u
                Content-Type: application/json

                {"subscription":{"subscription_id":"\(new)","provider":"ios-apns"},"replace":true}
                """
        )
    }

    @Test("a status request has the parameters of its mode")
    func statuses() throws {
        let (_, wire) = try Self.altcraft(", matchingMode: push_sub")
        let base = "https://pxl.example.com/subscription/push/status/?"
        #expect(wire.status(.latest, Self.apns, id: "s").address == base + "matching_mode=push_sub")
        #expect(wire.status(.provider, Self.apns, id: "s").address == base + "provider=ios-apns&matching_mode=push_sub")
        #expect(
            wire.status(.current, Self.firebase, id: "s").address
                == base + "provider=ios-firebase&subscription_id=fcm%3Atoken%2F1&matching_mode=push_sub"
        )
        #expect(wire.status(.latest, nil, id: "s").method == .get)
    }

    @Test("delivery and open are reported with the raw push id, a dismissal is not")
    func events() throws {
        let (_, wire) = try Self.altcraft()
        let call = try #require(wire.eventCall(.delivery, of: "uid-1", Self.moment))
        #expect(
            Self.text(call) == """
                POST https://pxl.example.com/event/push/delivery?matching_mode=push_sub
                Authorization: Bearer rtoken@r-1
                Request-ID: 0b9c
                Content-Type: application/json

                {"time":1760000000,"smid":"uid-1"}
                """
        )
        #expect(wire.eventCall(.dismiss, of: "uid-1", Self.moment) == nil)
    }

    @Test("an app event is a multipart form of texts and JSON, with the time zone offset of JavaScript")
    func mobileEvent() throws {
        let (_, wire) = try Self.altcraft()
        var event = MobileEvent(siteID: "7", name: "bought")
        (event.clientID, event.push, event.matchingType) = ("c-1", "uid-1", "email")
        event.payload = .members(["price": .integer(3)])
        (event.utm.campaign, event.utm.temp) = ("spring", "t")
        let call = wire.eventCall(event, Self.moment)
        #expect(call.address == "https://pxl.example.com/event/post?i=7&tr=px&t=open&v=2")
        #expect(call.fields["Content-Type"] == "multipart/form-data; boundary=corewire-0b9c")
        #expect(call.fields["Request-ID"] == nil)
        let texts = [
            ("tz", "-180"), ("t", "1760000000"), ("aci", "c-1"), ("wn", "bought"), ("mm", "email"), ("cn", "spring"),
            ("ct", "t"),
        ]
        var expected = texts.map { name, value in
            "--corewire-0b9c\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }.joined()
        for (name, value) in [("wd", #"{"price":3}"#), ("mi", #""uid-1""#)] {
            expected += "--corewire-0b9c\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
            expected += "Content-Type: application/json\r\n\r\n\(value)\r\n"
        }
        #expect(String(decoding: call.body, as: UTF8.self) == expected + "--corewire-0b9c--\r\n")
    }

    @Test(
        "the subscription of an event has the format of the platform's SDK",
        arguments: [("ios", "customFields", "ios-firebase"), ("android", "custom_fields", "android-firebase")]
    )
    func eventSubscription(platform: String, fields: String, provider: String) throws {
        let (_, wire) = try Self.altcraft(", platform: \(platform)")
        for given in ["customFields", "custom_fields"] {
            var event = MobileEvent(siteID: "7", name: "bought")
            event.subscription = .members([
                "resource_id": .integer(1), "provider": .string("firebase"), given: .members(["a": .integer(1)]),
            ])
            let body = String(decoding: wire.eventCall(event, Self.moment).body, as: UTF8.self)
            #expect(body.contains(#"{"resource_id":1,"provider":"\#(provider)","\#(fields)":{"a":1}}"#), "\(body)")
        }
    }

    @Test("a profile is changed by field actions")
    func profile() throws {
        let (_, wire) = try Self.altcraft()
        var parameters = AltcraftParameters()
        parameters.profileFields = [("tags", .members(["action": .string("add"), "value": .string("vip")]))]
        let call = wire.changeProfile(parameters, id: "p")
        #expect(call.address == "https://pxl.example.com/profile/update")
        #expect(
            String(decoding: call.body, as: UTF8.self)
                == #"{"profile_fields":{"tags":{"action":"add","value":"vip"}},"skip_triggers":false}"#
        )
        parameters.skipTriggers = true
        let silent = String(decoding: wire.changeProfile(parameters, id: "p").body, as: UTF8.self)
        #expect(silent.hasSuffix(#""skip_triggers":true}"#))
    }

    // MARK: JWTs

    private static func jwt(_ payload: String) -> Secret<String> {
        Secret("e30.\(Base64URL.text(of: Array(payload.utf8))).c2ln")
    }

    @Test(
        "a JWT identifies the profile in a claim that is text or an object",
        arguments: [
            #"{"matching":"{\"db_id\":1,\"matching\":\"email_profile\",\"email\":\"a@b\",\"phone\":\"7\"}"}"#,
            #"{"matching":{"db_id":1,"matching":"email_profile","email":"a@b","phone":"7"}}"#,
        ]
    )
    func claims(payload: String) throws {
        let read = try AltcraftAuthorization(jwt: Self.jwt(payload), with: OpenSSLSecrecy())
        #expect(read.matchingMode == "email_profile")
        #expect(read.header.reveal().hasPrefix("Bearer e30."))
        let same = try AltcraftAuthorization(
            jwt: Self.jwt(#"{"iat":9,"matching":{"matching":"email_profile","phone":"7","email":"a@b","db_id":1}}"#),
            with: OpenSSLSecrecy()
        )
        #expect(read.userTag == same.userTag)
        let other = try AltcraftAuthorization(
            jwt: Self.jwt(#"{"matching":{"matching":"email_profile","email":"c@d","db_id":1}}"#),
            with: OpenSSLSecrecy()
        )
        #expect(read.userTag != other.userTag)
    }

    @Test(
        "any identifier of the platform is accepted, and separates profiles",
        arguments: [
            "email", "phone", "profile_id", "field_name", "field_value", "provider", "subscription_id",
        ]
    )
    func identifiers(name: String) throws {
        let tags = try ["1", "2"].map { value in
            try AltcraftAuthorization(
                jwt: Self.jwt(#"{"matching":{"db_id":1,"matching":"m","\#(name)":"\#(value)"}}"#),
                with: OpenSSLSecrecy()
            ).userTag
        }
        #expect(tags[0] != tags[1])
    }

    @Test("the claim is read up to 16 KB, as by the SDK")
    func longClaims() throws {
        let matching = #""matching":{"db_id":1,"matching":"m","email":"a@b"}"#
        // Three bytes are four letters: one byte less than sixteen kilobytes, and two more.
        for (size, isRead) in [(12_287, true), (12_289, false)] {
            let rest = #"{"x":"",\#(matching)}"#.utf8.count
            let payload = #"{"x":"\#(String(repeating: "x", count: size - rest))",\#(matching)}"#
            let read = try? AltcraftAuthorization(jwt: Self.jwt(payload), with: OpenSSLSecrecy())
            #expect((read != nil) == isRead)
        }
    }

    @Test(
        "an incomplete JWT is rejected with what is missing, and never shown",
        arguments: [
            ("no json", unreadable), ("", absent), ("{}", absent),
            (#"{"matching":"no json"}"#, poor), (#"{"matching":{"db_id":1,"matching":"m"}}"#, poor),
            (#"{"matching":{"matching":"m","email":"a@b"}}"#, poor), (#"{"matching":{"db_id":1,"email":"a@b"}}"#, poor),
        ]
    )
    func poorClaims(payload: String, reason: String) throws {
        let token = Self.jwt(payload)
        let fault = #expect(throws: Fault.self) { _ = try AltcraftAuthorization(jwt: token, with: OpenSSLSecrecy()) }
        #expect(fault?.reason == reason)
        #expect(fault?.help?.contains(token.reveal()) == false)
    }

    private static let unreadable = "malformed JWT for Altcraft"
    private static let absent =
        "the JWT of the user has no claim 'matching', by which Altcraft finds the profile"
    private static let poor = "the claim 'matching' of the user's JWT lacks members that Altcraft requires"

    @Test("a text without three parts is not a JWT", arguments: ["", "a.b", "a.b.c.d", "a.!.c"])
    func noJWT(token: String) throws {
        let fault = #expect(throws: Fault.self) {
            _ = try AltcraftAuthorization(jwt: Secret(token), with: OpenSSLSecrecy())
        }
        #expect(fault?.reason == Self.unreadable)
    }

    // MARK: Others

    @Test("a Health Cloud registration equals the REST registrar with the same settings")
    func healthCloud() throws {
        let text = "{ type: healthCloud, path: mako/case-api/1.0/notifications, apiKey: k-1 }"
        let account = try #require(try Self.registrar(text).settings(HealthCloudRegistrar.self))
        let wire = RestWire(account, at: account.path.text)
        let token = String(repeating: "a1", count: 32)
        #expect(
            Self.text(wire.register(Self.moment)) == """
                POST mako/case-api/1.0/notifications
                Content-Type: application/json
                x-api-key: k-1

                {"deviceId":"cart-17","provider":"apns","token":"\(token)"}
                """
        )
        var moment = Self.moment
        moment.former = Self.former
        #expect(String(decoding: wire.register(moment).body, as: UTF8.self).contains(#""oldToken":"b2b2"#))
        let end = try #require(wire.unregister(Self.moment))
        #expect(end.method == .delete && end.address == "mako/case-api/1.0/notifications/cart-17")
        if case .token(.user) = end.authorization {} else { Issue.record("the user's token is not sent") }
    }

    @Test("the old token is another one than the new one")
    func sameToken() throws {
        let text = "{ type: healthCloud, path: notifications, apiKey: k-1 }"
        let account = try #require(try Self.registrar(text).settings(HealthCloudRegistrar.self))
        var moment = Self.moment
        moment.former = moment.token
        let call = RestWire(account, at: account.path.text).register(moment)
        #expect(!String(decoding: call.body, as: UTF8.self).contains("old"))
    }

    @Test("a Health Cloud with the method PUT gets PUT requests", arguments: ["POST", "PUT"])
    func healthCloudMethod(method: String) throws {
        let text = "{ type: healthCloud, path: notifications, apiKey: k-1, method: \(method) }"
        let account = try #require(try Self.registrar(text).settings(HealthCloudRegistrar.self))
        let wire = RestWire(account, at: account.path.text)
        var moment = Self.moment
        #expect(wire.register(moment).method.name == method)
        moment.former = ProviderToken(.apns, "former")
        #expect(wire.register(moment).method.name == method)
    }

    @Test("template values are escaped for their context")
    func escapes() throws {
        let text = """
            { type: rest, url: https://x.example.com/d, register: { path: '{{ alias }}/t', headers: { X-Who: '{{ alias }}' },
              body: '{"a":"{{ alias }}","u":{{ user | json }},"n":"{{ model | default: "none" | upper }}"}' },
              update: { headers: { Content-Type: application/x-www-form-urlencoded }, body: 'a={{ alias }}&o={{ oldToken }}' } }
            """
        let account = try #require(try Self.registrar(text).settings(RestRegistrar.self))
        var moment = Self.moment
        moment.device.alias = "a\"/\r\nb&c"
        moment.device.model = nil
        let wire = RestWire(account, at: account.url.text)
        let call = wire.register(moment)
        #expect(call.address == "https://x.example.com/d/a%22%2F%0D%0Ab%26c/t")
        #expect(call.fields["X-Who"] == "a\"/b&c")
        #expect(String(decoding: call.body, as: UTF8.self) == #"{"a":"a\"/\r\nb&c","u":null,"n":"NONE"}"#)
        moment.former = Self.firebase
        #expect(
            String(decoding: wire.register(moment).body, as: UTF8.self)
                == "a=a%22%2F%0D%0Ab%26c&o=fcm%3Atoken%2F1"
        )
    }

    @Test("HALO gets a push event by its schedule id, in its format", arguments: PushEvent.allCases)
    func halo(event: PushEvent) throws {
        let account = try #require(try Self.registrar("{ type: halo }").settings(HaloRegistrar.self))
        let words: [PushEvent: String] = [.delivery: "receipt", .open: "open", .dismiss: "dismiss"]
        let call = HaloWire(account).activity(event, of: "s-1", device: "d-1", .firebase)
        #expect(call.address == "api/push/schedule/activity" && call.method == .post)
        #expect(
            String(decoding: call.body, as: UTF8.self)
                == #"{"platform":"android","schedule":"s-1","device":"d-1","action":"\#(words[event] ?? "")"}"#
        )
    }

    @Test("Altcraft's numbers are those of both SDKs")
    func numbers() {
        func numbers(_ kind: PushOperation.Kind, _ outcome: PushOutcome) -> [Int?] {
            AltcraftEvent.of(kind, outcome).map { [$0.ios, $0.android] } ?? []
        }
        #expect(numbers(.suspend, .done) == [230, 231])
        #expect(numbers(.update, .failed) == [431, 433])
        #expect(numbers(.unsuspend, .triedAgain) == [nil, 534])
        #expect(numbers(.open, .triedAgain) == [534, 536])
        #expect(numbers(.mobileEvent, .done) == [235, 237])
        #expect(numbers(.profile, .done) == [nil, 238])
    }
}
