import Foundation
import PushConformance
import Testing

@Suite("Conformance of registrars, with realistic servers")
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
        tellsOpen: { $0.method == "PUT" && $0.path == "/ups/rest/registry/device/pushMessage/p-1" },
        good: [.init(200, #"{"deviceToken":"\#(String(repeating: "a1", count: 32))"}"#), .init(200, "{}")],
        strange: [.init(200), .init(204), .init(200, #"{"deviceToken":"another"}"#)]
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
        tellsOpen: { $0.path == "/crm/event/push/open?matching_mode=push_sub" && $0.json["smid"] as? String == "p-1" },
        canSuspend: true,
        good: [.init(200, #"{"error":0,"error_text":""}"#), .init(202, #"{"error":3,"error_text":"later"}"#)],
        strange: [.init(200), .init(204), .init(200, "{}")]
    )

    private static let healthCloud = RegistrarCase(
        "healthCloud",
        settings: #"{ type: healthCloud, path: hc/notifications, apiKey: hush-hush-key }"#,
        sections: """
            allow: { secret-in-clear: "a test" }
            auth: { provider: halo, url: "{base}/api", flow: password, clientId: tasks, username: ada, password: hush-hush-word }
            device: { register: never }
            """,
        secrets: ["hush-hush-key", "hush-hush-user", "hush-hush-word"],
        tellsToken: { seen, token in
            seen.method == "POST" && seen.path == "/hc/notifications" && seen.json["token"] as? String == token
                && seen.json["provider"] as? String == "apns" && seen.fields["x-api-key"] == "hush-hush-key"
                && seen.fields["authorization"] == "Bearer hush-hush-user"
        },
        tellsFormer: { seen, former in seen.json["oldToken"] as? String == former },
        ends: { seen, _ in seen.method == "DELETE" && seen.path.hasPrefix("/hc/notifications/") },
        waitsForSignIn: true
    )

    private static func devices(_ seen: PushServer.Seen) -> [String]? {
        (seen.json["devices"] as? [[String: Any]])?.compactMap { $0["token"] as? String }
    }

    private static let halo = RegistrarCase(
        "halo",
        settings: #"{ type: halo, activityUrl: "{base}/halo/activity", activity: [open] }"#,
        sections: #"device: { url: "{base}/halo/devices", authenticated: false, alias: cart-17 }"#,
        secrets: [],
        tellsToken: { seen, token in seen.path.hasPrefix("/halo/devices") && devices(seen) == [token] },
        tellsFormer: { seen, former in
            seen.json["replaceTokens"] as? Bool == true && devices(seen)?.contains(former) == false
        },
        ends: { seen, _ in seen.json["replaceTokens"] as? Bool == true && devices(seen) == [] },
        push: #"{"scheduleId":"s-1","title":"T"}"#,
        tellsOpen: { seen in
            seen.path == "/halo/activity" && seen.json["schedule"] as? String == "s-1"
                && seen.json["action"] as? String == "open" && seen.json["device"] as? String == "d-1"
        },
        good: [.init(200, #"{"id":"d-1"}"#), .init(201, #"{"id":"d-1","devices":null}"#)]
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

    @Test(
        "a registrar passes every rule",
        .timeLimit(.minutes(10)),
        arguments: [unifiedPush, altcraft, rest, healthCloud, halo],
        PushConformance.rules
    )
    func conforms(registrar: RegistrarCase, rule: PushConformance.Rule) async throws {
        try await rule.check(registrar)
    }
}
