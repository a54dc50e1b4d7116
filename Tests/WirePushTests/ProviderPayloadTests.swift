import Testing
import WireConfig
import WireNotificationContract

@Suite("Payloads as the documentation of providers shows them")
struct ProviderPayloadTests {
    private static func read(_ text: String) throws -> ReceivedPush {
        PlainPush(try JSONValue(parsing: Array(text.utf8), named: "push")).push
    }

    /// The same notification as each provider writes it.
    static let same = [
        // Firebase's API, with the general notification.
        #"{"message":{"token":"t","notification":{"title":"Ward","body":"Bed 4 is free","image":"https://e.com/4.png"},"#
            + #""data":{"bed":"4"},"android":{"collapse_key":"bed","notification":{"click_action":"https://e.com/4"}}}}"#,
        // Firebase's API, for Android alone.
        #"{"message":{"data":{"bed":"4"},"android":{"priority":"HIGH","notification":{"title":"Ward","tag":"bed","#
            + #""body":"Bed 4 is free","image":"https://e.com/4.png","click_action":"https://e.com/4"}}}}"#,
        // Firebase's API, for browsers alone.
        #"{"message":{"webpush":{"headers":{"TTL":"60"},"fcm_options":{"link":"https://e.com/4"},"notification":"#
            + #"{"title":"Ward","body":"Bed 4 is free","tag":"bed","icon":"https://e.com/4.png","data":{"bed":"4"}}}}}"#,
        // Firebase's API, for Apple alone.
        #"{"message":{"data":{"bed":"4"},"webpush":{"fcm_options":{"link":"https://e.com/4"}},"#
            + #""apns":{"headers":{"apns-collapse-id":"bed"},"fcm_options":{"image":"https://e.com/4.png"},"#
            + #""payload":{"aps":{"alert":{"title":"Ward","body":"Bed 4 is free"}}}}}}"#,
        // Huawei's API.
        #"{"validate_only":false,"message":{"notification":{"title":"Ward","body":"Bed 4 is free"},"#
            + #""data":"{\"bed\":\"4\"}","token":["t"],"android":{"collapse_key":-1,"urgency":"HIGH","ttl":"86400s","#
            + #""notification":{"image":"https://e.com/4.png","tag":"bed","importance":"NORMAL","#
            + #""click_action":{"type":2,"url":"https://e.com/4"}}}}}"#,
        // Declarative Web Push.
        #"{"web_push":8030,"notification":{"title":"Ward","lang":"en-US","dir":"ltr","body":"Bed 4 is free","tag":"bed","#
            + #""navigate":"https://e.com/4","icon":"https://e.com/4.png","data":{"bed":"4"}}}"#,
        // Angular's service worker.
        #"{"notification":{"title":"Ward","body":"Bed 4 is free","image":"https://e.com/4.png","tag":"bed","data":"#
            + #"{"bed":"4","onActionClick":{"default":{"operation":"openWindow","url":"https://e.com/4"}}}}}"#,
        // The arguments of showNotification.
        #"{"title":"Ward","options":{"body":"Bed 4 is free","icon":"https://e.com/4.png","tag":"bed","renotify":true,"#
            + #""badge":"https://e.com/badge.png","vibrate":[200,100],"data":{"bed":"4","url":"https://e.com/4"}}}"#,
        // The same in one object.
        #"{"title":"Ward","body":"Bed 4 is free","image":"https://e.com/4.png","tag":"bed","url":"https://e.com/4","#
            + #""data":{"bed":"4"}}"#,
        // Corewire's own form.
        #"{"title":"Ward","body":"Bed 4 is free","image":"https://e.com/4.png","link":"https://e.com/4","#
            + #""collapseKey":"bed","data":{"bed":"4"}}"#,
    ]

    @Test("each form has the same parts", arguments: same)
    func parts(payload: String) throws {
        let push = try Self.read(payload)
        #expect((push.title, push.body, push.image) == ("Ward", "Bed 4 is free", "https://e.com/4.png"))
        #expect(push.link == "https://e.com/4" && push.collapseKey == "bed")
        #expect(push.fields["bed"]?.string == "4" && !push.isSilent)
    }

    @Test("Huawei's former form is read")
    func formerHuawei() throws {
        let push = try Self.read(
            #"{"hps":{"msg":{"type":3,"body":{"content":"Bed 4 is free","title":"Ward"},"action":{"type":2,"#
                + #""param":{"url":"https://e.com/4"}}},"ext":{"biTag":"Trump"}}}"#
        )
        #expect((push.title, push.body, push.link) == ("Ward", "Bed 4 is free", "https://e.com/4"))
        #expect(!push.isSilent)
    }

    @Test(
        "buttons have a label, and a link where the sender gives one",
        arguments: [
            #"{"web_push":8030,"notification":{"title":"T","navigate":"https://e.com/","actions":"#
                + #"[{"action":"call","title":"Call","navigate":"tel:4"},{"action":"no","title":"No"}]}}"#,
            #"{"notification":{"title":"T","actions":[{"action":"call","title":"Call"},{"action":"no","title":"No"}],"#
                + #""data":{"onActionClick":{"call":{"operation":"openWindow","url":"tel:4"}}}}}"#,
            #"{"message":{"android":{"notification":{"title":"T","buttons":"#
                + #"[{"name":"Call","action_type":1,"intent":"tel:4"},{"name":"No","action_type":3}]}}}}"#,
            #"{"title":"T","buttons":[{"label":"Call","link":"tel:4"},{"label":"No"},{"link":"x"},{"label":"Fourth"}]}"#,
            #"{"title":"T","actions":"[{\"title\":\"Call\",\"url\":\"tel:4\"},{\"title\":\"No\"}]"}"#,
        ]
    )
    func buttons(payload: String) throws {
        #expect(
            try Self.read(payload).buttons == [.init(label: "Call", link: "tel:4"), .init(label: "No", link: nil)]
        )
    }

    @Test(
        "the urgency is that of the notification, in the words of each provider",
        arguments: [
            (#"{"aps":{"alert":"B","interruption-level":"time-sensitive"}}"#, .critical),
            (#"{"aps":{"alert":"B","interruption-level":"passive"}}"#, .low),
            (
                #"{"message":{"notification":{"body":"B"},"android":{"notification":{"notification_priority":"PRIORITY_MAX"}}}}"#,
                .critical
            ),
            (#"{"message":{"notification":{"body":"B"},"android":{"notification":{"importance":"LOW"}}}}"#, .low),
            (#"{"message":{"notification":{"body":"B"},"webpush":{"headers":{"Urgency":"very-low"}}}}"#, nil),
            (#"{"body":"B","urgency":"critical"}"#, .critical), (#"{"body":"B","priority":"high"}"#, .normal),
            (#"{"body":"B","urgency":"loud"}"#, nil), (#"{"body":"B","priority":5}"#, nil),
        ] as [(String, PushUrgency?)]
    )
    func urgencies(payload: String, urgency: PushUrgency?) throws {
        #expect(try Self.read(payload).urgency == urgency)
    }

    @Test(
        "the expiry is that of the sender; a lifetime without the time of sending, or zero, is none",
        arguments: [
            (#"{"aps":{"alert":"B"},"apns-expiration":"1795732928"}"#, 1_795_732_928_000),
            (
                #"{"message":{"apns":{"headers":{"apns-expiration":"1795732928"},"payload":{"aps":{"alert":"B"}}}}}"#,
                1_795_732_928_000
            ),
            (
                #"{"notification":{"body":"B"},"google.sent_time":1795732928480,"google.ttl":60}"#,
                1_795_732_988_480
            ),
            (#"{"message":{"notification":{"body":"B"},"android":{"ttl":"3.5s"}}}"#, nil),
            (#"{"message":{"notification":{"body":"B"},"webpush":{"headers":{"TTL":"60"}}}}"#, nil),
            (#"{"notification":{"body":"B"},"google.sent_time":1795732928480,"google.ttl":0}"#, nil),
            (#"{"aps":{"alert":"B"},"apns-expiration":"0"}"#, nil),
            (#"{"aps":{"alert":"B"},"apns-expiration":9223372036854775807}"#, nil),
            (#"{"notification":{"body":"B"},"google.sent_time":9223372036854775807,"google.ttl":60}"#, nil),
            (#"{"notification":{"body":"B"},"google.sent_time":1795732928480,"google.ttl":-3}"#, nil),
            (#"{"notification":{"body":"B"},"google.sent_time":1795732928480,"google.ttl":"3s"}"#, nil),
        ] as [(String, Int64?)]
    )
    func expiries(payload: String, expires: Int64?) throws {
        #expect(try Self.read(payload).expires == expires)
    }

    @Test(
        "badges are numbers, or numbers as text",
        arguments: [
            (#"{"web_push":8030,"notification":{"title":"T","app_badge":"12"}}"#, 12),
            (#"{"web_push":8030,"notification":{"title":"T"},"app_badge":12}"#, 12),
            (#"{"message":{"android":{"notification":{"title":"T","badge":{"add_num":1,"set_num":12}}}}}"#, 12),
            (#"{"message":{"android":{"notification":{"title":"T","notification_count":12}}}}"#, 12),
            (#"{"title":"T","badge":"https://e.com/badge.png"}"#, nil), (#"{"title":"T","badge":-1}"#, nil),
        ] as [(String, Int?)]
    )
    func badges(payload: String, badge: Int?) throws {
        #expect(try Self.read(payload).badge == badge)
    }

    @Test("Huawei's default collapse key, and a missing one, replace nothing")
    func noCollapseKey() throws {
        let huawei = #"{"message":{"notification":{"title":"T"},"android":{"collapse_key":-1}}}"#
        #expect(try Self.read(huawei).collapseKey == nil)
        #expect(try Self.read(#"{"notification":{"title":"T"},"collapse_key":"do_not_collapse"}"#).collapseKey == nil)
        #expect(try Self.read(#"{"notification":{"title":"T"},"collapse_key":"c"}"#).collapseKey == "c")
    }

    @Test("a notification of a browser without a sound is shown; data alone is not")
    func silent() throws {
        #expect(try !Self.read(#"{"title":"T","silent":true}"#).isSilent)
        #expect(try !Self.read(#"{"notification":{"title":"T","silent":true}}"#).isSilent)
        #expect(try Self.read(#"{"data":{"title":"T"},"android":{"priority":"HIGH"}}"#).isSilent)
        #expect(try Self.read(#"{"message":{"apns":{"payload":{"aps":{"content-available":1}}}}}"#).isSilent)
    }

    @Test(
        "other types of Huawei's former form are data, as are texts below 'body'",
        arguments: [
            #"{"hps":{"msg":{"type":1,"body":{"title":"T","content":"C"}},"ext":{"a":1}}}"#,
            #"{"type":"note.changed","body":{"title":"Plan","content":"Text"}}"#,
        ]
    )
    func dataOnly(payload: String) throws {
        let push = try Self.read(payload)
        #expect(push.isSilent && push.title == nil && push.body == nil)
        #expect(push.fields.bytes() == Array(payload.utf8))
    }

    @Test(
        "a member 'message' or 'payload' of the sender is not taken for the message of an API",
        arguments: [
            #"{"aps":{"alert":"Build done"},"message":{"android":{"x":1}},"aerogear-push-id":"p1"}"#,
            #"{"body":"Build done","message":{"android":{"x":1}}}"#,
            #"{"notification":{"body":"Build done"},"payload":{"notification":{"body":"Other"}}}"#,
            #"{"body":"Build done","message":{"android":true}}"#,
        ]
    )
    func ownMembers(payload: String) throws {
        let push = try Self.read(payload)
        #expect(push.body == "Build done" && !push.isSilent)
        #expect(push.id == (payload.contains("p1") ? "p1" : nil))
    }

    @Test(
        "members beside those of a provider are data",
        arguments: [
            #"{"message":{"apns":{"payload":{"aps":{"content-available":1},"bed":"4"}}}}"#,
            #"{"event":"sync","bed":"4","android":{"data":{"v":2}}}"#,
            #"{"hps":{"msg":{"type":3,"body":{"title":"T"}},"ext":{"bed":"4"}}}"#,
        ]
    )
    func data(payload: String) throws {
        #expect(try Self.read(payload).fields["bed"]?.string == "4")
    }

    /// Wrong values for each member that is read.
    static let wrong = [
        "null", "7", "-7", "1e400", "true", #""""#, #""x""#, "[]", "{}", "[[[7]]]", #"{"url":{"url":[]}}"#,
    ]

    @Test("members of wrong types are ignored", arguments: wrong)
    func wrongTypes(value: String) throws {
        let names = [
            "title", "subtitle", "body", "alert", "image", "icon", "sound", "badge", "link", "navigate", "click_action",
            "url", "tag", "urgency", "priority", "actions", "buttons", "data", "silent", "default_sound", "app_badge",
            "title_loc_key", "title_loc_args", "collapse_key", "notification_count", "importance", "action", "options",
        ]
        let members = names.map { #""\#($0)":\#(value)"# }.joined(separator: ",")
        for form in [
            "{\(members)}", #"{"notification":{\#(members)}}"#, #"{"notification":{\#(members)},\#(members)}"#,
            #"{"message":{"android":{\#(members),"notification":{\#(members)}},"webpush":{"headers":\#(value)}}}"#,
            #"{"hps":{"msg":{"type":3,\#(members)}}}"#, #"{"aps":{\#(members)},"apns-expiration":\#(value)}"#,
            #"{"aps":\#(value),"android":\#(value),"webpush":\#(value),"apns":\#(value),"message":\#(value)}"#,
            #"{"title":"T","actions":[\#(value),{"title":\#(value),"action":\#(value),"url":\#(value)}]}"#,
        ] {
            guard let json = try? JSONValue(parsing: Array(form.utf8), named: "push") else { continue }
            let push = PlainPush(json).push
            #expect(push.badge ?? 0 >= 0 && push.buttons.count <= 3)
        }
    }

    @Test("deep and large payloads are read")
    func large() throws {
        var deep = JSONValue.string("x")
        for _ in 0..<40 { deep = .object([("notification", deep)]) }
        #expect(PlainPush(deep).push.title == nil)
        let many = JSONValue.object([
            ("title", .string("T")), ("actions", .array(Array(repeating: deep, count: 100_000))),
        ])
        #expect(PlainPush(many).push.buttons.isEmpty)
        let text = #"{"title":"T","actions":"\#(String(repeating: "[", count: 100_000))"}"#
        #expect(try Self.read(text).buttons.isEmpty)
    }
}
