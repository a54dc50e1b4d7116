import Foundation
import PushConformance
import Testing

@Suite("What every registrar does, against a server that answers as real ones do")
struct RegistrarConformanceTests {
    private static let unifiedPush = RegistrarCase(
        "unifiedPush",
        settings: """
            { type: unifiedPush, url: "{base}/ups", variantId: v-1, variantSecret: hush-hush-variant,
                    alias: ada@example.com, categories: [news] }
            """,
        secrets: ["hush-hush-variant", Data("v-1:hush-hush-variant".utf8).base64EncodedString()],
        tellsToken: { seen, token in
            seen.method == "POST" && seen.path == "/ups/rest/registry/device"
                && seen.json["deviceToken"] as? String == token
        },
        tellsFormer: { seen, former in seen.fields["x-ag-old-token"] == former },
        ends: { seen, token in seen.method == "DELETE" && seen.path == "/ups/rest/registry/device/\(token)" },
        push: #"{"aps":{"alert":{"body":"hi"}},"aerogear-push-id":"p-1"}"#,
        tellsOpen: { $0.method == "PUT" && $0.path == "/ups/rest/registry/device/pushMessage/p-1" }
    )

    private static let altcraft = RegistrarCase(
        "altcraft",
        settings: #"{ type: altcraft, url: "{base}/crm", rToken: hush-hush-role }"#,
        secrets: ["hush-hush-role"],
        tellsToken: { seen, token in
            (seen.path.hasPrefix("/crm/subscription/push/subscribe/")
                && seen.json["subscription_id"] as? String == token)
                || (seen.path.hasPrefix("/crm/subscription/push/update/") && seen.json["new_token"] as? String == token)
        },
        tellsFormer: { seen, former in
            seen.json["old_token"] as? String == former && seen.path.contains("subscription_id=\(former)")
        },
        ends: { seen, token in
            (seen.json["subscription"] as? [String: Any])?["status"] as? String == "unsubscribed"
                && seen.json["subscription_id"] as? String == token
        },
        push: #"{"aps":{"alert":{"body":"hi"}},"_ac_push":"1","_uid":"p-1"}"#,
        tellsOpen: { $0.path == "/crm/event/push/open?matching_mode=push_sub" && $0.json["smid"] as? String == "p-1" }
    )

    private static let rest = RegistrarCase(
        "rest",
        settings: """
            { type: rest, url: "{base}/devices", apiKey: hush-hush-key,
                    register: { body: '{"token":"{{ token }}","provider":"{{ provider }}"}' },
                    update: { method: PUT, path: "current", body: '{"token":"{{ token }}","old":"{{ oldToken }}"}' },
                    unregister: { method: DELETE, path: "{{ token }}" },
                    pushId: mid, events: { open: { path: opened, body: '{"push":"{{ pushId }}"}' } } }
            """,
        secrets: ["hush-hush-key"],
        tellsToken: { seen, token in
            seen.path.hasPrefix("/devices") && seen.json["token"] as? String == token
                && seen.fields["x-api-key"] == "hush-hush-key"
        },
        tellsFormer: { seen, former in seen.method == "PUT" && seen.json["old"] as? String == former },
        ends: { seen, token in seen.method == "DELETE" && seen.path == "/devices/\(token)" },
        push: #"{"data":{"mid":"p-1"}}"#,
        tellsOpen: { $0.path == "/devices/opened" && $0.json["push"] as? String == "p-1" }
    )

    @Test("a registrar keeps every rule", arguments: [unifiedPush, altcraft, rest], PushConformance.rules)
    func conforms(registrar: RegistrarCase, rule: PushConformance.Rule) async throws {
        try await rule.check(registrar)
    }
}
