import Testing
import WireConfig
import WireNotificationContract

@Suite("Payloads of pushes")
struct PlainPushTests {
    private static func read(_ text: String) throws -> PlainPush {
        PlainPush(try JSONValue(parsing: Array(text.utf8), named: "push"))
    }

    @Test("an APNs push is visible with a text or sound, otherwise silent")
    func apple() throws {
        let shown = try Self.read(
            #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,"sound":{"name":"ping"},"category":"c"},"#
                + #""kind":"task","gcm.message_id":"m-1"}"#
        ).push
        #expect((shown.title, shown.subtitle, shown.body) == ("T", "S", "B"))
        #expect(shown.badge == 3 && shown.sound == "ping" && shown.category == "c" && shown.id == "m-1")
        #expect(!shown.isSilent)
        #expect(shown.fields.text() == #"{"kind":"task","gcm.message_id":"m-1"}"#)
        let silent = try Self.read(#"{"aps":{"content-available":1,"badge":-1},"kind":"x"}"#)
        #expect(silent.push.isSilent && silent.push.badge == nil && silent.sender == nil)
        #expect(try !Self.read(#"{"aps":{"alert":"hi"}}"#).push.isSilent)
        #expect(try !Self.read(#"{"aps":{"sound":"default"}}"#).push.isSilent)
        #expect(try !Self.read(#"{"aps":{"alert":{"loc-key":"HELLO"}}}"#).push.isSilent)
        #expect(try Self.read(#"{"aps":{"alert":""}}"#).push.isSilent)
    }

    @Test("a Firebase push is visible with a notification; data only is silent")
    func firebase() throws {
        let shown = try Self.read(
            #"{"message":{"notification":{"title":"T","body":"B","image":"https://i","click_action":"app://x"},"#
                + #""data":{"kind":"task"}}}"#
        ).push
        #expect((shown.title, shown.body, shown.image, shown.link) == ("T", "B", "https://i", "app://x"))
        #expect(!shown.isSilent && shown.fields.text() == #"{"kind":"task"}"#)
        // An action that is no address names something in the app.
        let action = try Self.read(#"{"notification":{"title":"T","click_action":"OPEN","badge":"4"}}"#).push
        #expect(action.category == "OPEN" && action.link == nil && action.badge == 4)
        let silent = try Self.read(#"{"data":{"title":"T"},"message_id":"m-1"}"#).push
        #expect(silent.isSilent && silent.id == "m-1")
        // Huawei's data are a text.
        #expect(try Self.read(#"{"data":"{\"kind\":\"task\"}"}"#).push.fields.text() == #"{"kind":"task"}"#)
    }

    @Test("AeroGear pushes are identified by their id, on APNs and Firebase")
    func unifiedPush() throws {
        let apple = try Self.read(#"{"aps":{"alert":{"body":"B"}},"aerogear-push-id":"p-1","k":"v"}"#)
        #expect(apple.sender == .unifiedPush && apple.push.id == "p-1" && apple.push.body == "B")
        let data = try Self.read(#"{"data":{"alert":"B","sound":"default","badge":"7","aerogear-push-id":"p-2"}}"#)
        #expect(data.sender == .unifiedPush && data.push.id == "p-2" && data.push.body == "B")
        #expect(data.push.badge == 7 && data.push.sound == "default" && !data.push.isSilent)
        #expect(try Self.read(#"{"data":{"alert":"B","badge":"-1","aerogear-push-id":"p-2"}}"#).push.badge == nil)
        let titled = try Self.read(#"{"data":{"alert":"B","title":"T","aerogear-push-id":"p-2"}}"#).push
        #expect(titled.title == "T" && titled.body == "B")
        let silent = try Self.read(#"{"data":{"title":"T","aerogear-push-id":"p-3"}}"#).push
        #expect(silent.isSilent && silent.title == nil)
        #expect(try Self.read(#"{"data":{"alert":"","aerogear-push-id":"p-3","k":"v"}}"#).push.isSilent)
        #expect(try Self.read(#"{"aps":{"content-available":1},"aerogear-push-id":"p-4"}"#).push.isSilent)
    }

    @Test("Altcraft pushes are identified by '_ac_push'; buttons are JSON text, at most three")
    func altcraft() throws {
        let ios = try Self.read(
            #"{"aps":{"alert":{"title":"T","body":"B"}},"_ac_push":"1","_uid":"u-1","_media":"https://m","#
                + #""_click-url":"https://c","_buttons":"[{\"label\":\"a\",\"link\":\"x\"},{\"label\":\"b\"},{\"label\":\"c\"},{\"label\":\"d\"}]"}"#
        )
        #expect(ios.sender == .altcraft && ios.push.id == "u-1" && ios.push.image == "https://m")
        #expect(ios.push.link == "https://c")
        let loud = #"{"aps":{"alert":"B","sound":"ping"},"_ac_push":"1""#
        #expect(try Self.read(loud + "}").push.sound == "ping")
        #expect(try Self.read(loud + #","_soundless":"1"}"#).push.sound == nil)
        #expect(
            ios.push.buttons == [
                .init(label: "a", link: "x"), .init(label: "b", link: nil), .init(label: "c", link: nil),
            ]
        )
        let android = try Self.read(
            #"{"data":{"_ac_push":"1","_uid":"u-2","_title":"T","_body":"B","_image":"https://i"}}"#
        )
        #expect(!android.push.isSilent && android.push.title == "T" && android.push.image == "https://i")
        #expect(try Self.read(#"{"_ac_push":"1","_uid":"u-3","_buttons":"no json"}"#).push.buttons.isEmpty)
    }

    @Test(
        "HALO pushes are silent with 'content_available', and may carry a code",
        arguments: ["1", #""1""#, "true"]
    )
    func halo(truth: String) throws {
        let silent = try Self.read(#"{"aps":{"alert":"B"},"scheduleId":"s-1","content_available":\#(truth)}"#)
        #expect(silent.sender == .halo && silent.push.isSilent && silent.push.id == "s-1")
        let code = try Self.read(
            #"{"aps":{"alert":"B"},"type":"2_factor","code":"123456","image":"{\"url\":\"https://i\"}"}"#
        )
        #expect(code.push.code == "123456" && code.push.category == "2_factor" && code.push.image == "https://i")
        #expect(!code.push.isSilent)
        #expect(try Self.read(#"{"data":{"content_available":"0","title":"T"}}"#).push.isSilent == false)
    }

    @Test(
        "unknown members are preserved",
        arguments: [
            #"{"kind":"task-changed"}"#, "{}", "[]", "7", #""text""#, "null",
            #"{"aps":7,"data":[],"notification":"x"}"#,
            #"{"message":"hi"}"#, #"{"aps":{"alert":7,"badge":"x","sound":[]}}"#,
        ]
    )
    func unknown(text: String) throws {
        let read = try Self.read(text)
        #expect(read.sender == nil && read.push.isSilent)
        #expect(read.push.payload.text() == text)
    }

    @Test("a plain push with a text is visible")
    func plain() throws {
        let push = try Self.read(#"{"title":"T","body":"B","kind":"x"}"#).push
        #expect(!push.isSilent && push.title == "T" && push.fields["kind"]?.string == "x")
    }
}
