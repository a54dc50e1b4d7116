import WirePushContract
import WireService

/// A number of Altcraft's SDKs and the event that stands for it here.
///
/// Events, the documentation and the test of both are derived from these rows. The numbers for iOS (SDK of October
/// 2025) and for Android differ; nil is a number that one of the SDKs does not have.
package struct AltcraftEvent: Sendable, Equatable {
    package let ios: Int?
    package let android: Int?
    /// The meaning in the SDKs.
    package let meaning: String
    /// The event here; nil where there is none.
    package let name: String?
    /// When it is emitted, or why it is not.
    package let remark: String

    private init(_ ios: Int?, _ android: Int?, _ meaning: String, _ name: String?, _ remark: String) {
        (self.ios, self.android, self.meaning) = (ios, android, meaning)
        (self.name, self.remark) = (name, remark)
    }

    private init(_ number: Int, _ meaning: String, _ name: String, _ remark: String) {
        self.init(number, number, meaning, name, remark)
    }

    /// A number without an event here.
    private init(_ number: Int, _ meaning: String, absent remark: String) {
        self.init(number, number, meaning, nil, remark)
    }

    // MARK: Told

    package static let configured = Self(
        200,
        "configuration set",
        "push.configured",
        "the service runs with the registrar of the file"
    )
    package static let providerSet = Self(201, "provider set", "push.token", "a provider has issued another token")
    package static let received = Self(203, "push received", "push.received", "a push of the platform was received")
    package static let posted = Self(204, "notification posted", "push.posted", "a push of the platform was shown")
    package static let cleared = Self(205, "cleared", "push.cleared", "registrations were cleared")
    package static let noUserTagAsked = Self(
        402,
        "no user tag",
        "push.rejected",
        "a request needs a user tag, and there is none"
    )
    package static let notStored = Self(
        403,
        "storage error",
        "push.rejected",
        "the store or the outbox does not accept a request"
    )
    package static let notDeletable = Self(
        406,
        "token cannot be changed",
        "push.rejected",
        "deletion of a token that another source provides"
    )
    package static let noStatusData = Self(
        423,
        "no data for a status request",
        "push.rejected",
        "the status of a token is requested, and there is no token"
    )
    package static let noID = Self(451, "no `_uid`", "push.unusable", "a push of the platform has no id")
    package static let noButtons = Self(454, "no buttons", "push.unusable", "the `_buttons` of a push cannot be read")
    package static let notJSON = Self(
        474,
        "no JSON",
        "push.rejected",
        "the body of a request at the local API is not JSON"
    )
    package static let notPlain = Self(
        475,
        472,
        "fields that are not plain",
        "push.rejected",
        "a field of a subscription is a list or an object"
    )
    package static let strangeSubscription = Self(
        476,
        "unknown kind of subscription",
        "push.rejected",
        "the `channel` of an app event's subscription is not email, sms, push or cc_data"
    )
    package static let noToken = Self(502, "no token", "push.pending", "a registration waits for a token")
    package static let noUserTag = Self(503, "no user tag", "push.pending", "a registration waits for a sign-in")
    package static let noPermission = Self(
        504,
        "no permission",
        "push.pending",
        "a registration waits for the permission"
    )
    package static let noJWT = Self(540, "no JWT", "push.unauthorized", "no source provides the JWT of the user")
    package static let badJWT = Self(
        541,
        "JWT cannot be read",
        "push.unauthorized",
        "the token of the user is not a valid JWT"
    )
    package static let noMatching = Self(
        542,
        "claim lacks fields",
        "push.unauthorized",
        "the claim `matching` of the JWT lacks fields that Altcraft needs"
    )
    package static let strangeAnswer = Self(
        562,
        "response cannot be read",
        "push.strangeAnswer",
        "the status is successful, and the body is not a response of the platform"
    )

    private static let told = [
        configured, providerSet, received, posted, cleared, noUserTagAsked, notStored, notDeletable, noStatusData, noID,
        noButtons, notJSON, notPlain, strangeSubscription, noToken, noUserTag, noPermission, noJWT, badJWT, noMatching,
        strangeAnswer,
    ]

    // MARK: What became of requests

    /// The row for the result of a request; nil where neither SDK has a number for it.
    package static func of(_ operation: PushOperation.Kind, _ outcome: PushOutcome) -> Self? {
        guard var last = lastDigits(operation) else { return nil }
        let name = PushTelemetry.event(of: operation, outcome).rawValue
        switch outcome {
        // Only queued requests have this result, with one set of numbers.
        case .held:
            guard let digit = last.ios, digit != 2, digit != 3 else { return nil }
            last.android = digit
        // The SDK for iOS never retries a rejected unsuspend or status; here a status is requested once.
        case .triedAgain:
            if operation == .status { return nil }
            if last.ios == 2 { last.ios = nil }
        case .done, .failed: break
        }
        let (meaning, remark) = outcome.words
        return Self(
            last.ios.map { outcome.firstNumber + $0 },
            last.android.map { outcome.firstNumber + $0 },
            "\(Self.word(operation)): \(meaning)",
            name,
            remark
        )
    }

    private static func lastDigits(_ operation: PushOperation.Kind) -> (ios: Int?, android: Int?)? {
        switch operation {
        case .register: (0, 0)
        case .suspend: (0, 1)
        case .unregister: (0, 2)
        case .update: (1, 3)
        case .unsuspend: (2, 4)
        case .status: (3, 5)
        case .delivery, .open: (4, 6)
        case .mobileEvent: (5, 7)
        case .profile: (nil, 8)
        case .dismiss: nil
        }
    }

    /// The SDKs' name of the request.
    private static func word(_ operation: PushOperation.Kind) -> String {
        switch operation {
        case .register: "subscribe"
        case .unregister: "unsubscribe"
        case .update: "token update"
        case .delivery, .open: "push event"
        case .mobileEvent: "mobile event"
        case .profile: "profile update"
        case .suspend, .unsuspend, .status, .dismiss: operation.rawValue
        }
    }

    // MARK: Not told

    private static let absent = [
        Self(206, "background task registered", absent: "the outbox runs with the runner and registers no task"),
        Self(207, "background task completed", absent: "the outbox reports each request that it sends"),
        Self(
            401,
            "configuration not set",
            absent: "without the section `push` there is no such service, and the command reports that"
        ),
        Self(404, "data model", absent: "a store of another version is rejected at the start of the runner"),
        Self(405, "no app group", absent: "`app.group` has a default"),
        Self(407, "wait for configuration", absent: "the file is read before the first request"),
        Self(408, "entity", absent: "a record that cannot be read is the storage error 403"),
        Self(422, "no data to unsuspend with", absent: "the registration waits for a token"),
        Self(439, "unknown request failed", absent: "the runner makes no unknown requests"),
        Self(450, "no user info", absent: "a body that is not a JSON object is rejected with 400"),
        Self(
            452,
            "media download",
            absent: "the notification is shown without the picture, and the log has the reason"
        ),
        Self(453, "no media", absent: "a push without a picture is valid"),
        Self(455, "button", absent: "a tap on an unknown button is rejected"),
        Self(456, "button", absent: "as 455"), Self(457, "button", absent: "as 455"),
        Self(471, "no url", absent: "`validate-config` rejects the file"),
        Self(472, nil, "no rToken", nil, "`validate-config` rejects the file (CW1208)"),
        Self(473, "unknown provider", absent: "`validate-config` rejects the file"),
        Self(501, "no configuration, retried", absent: "as 407"),
        Self(505, "not initialised", absent: "as 407"),
        Self(506, "background time over", absent: "background time is not limited"),
        Self(529, "unknown request, no data", absent: "as 439"),
        Self(539, "unknown request failed, retried", absent: "as 439"),
        Self(543, "no authorization", absent: "`validate-config` rejects the file (CW1208)"),
        Self(561, "request cannot be made", absent: "requests are built from checked values"),
        Self(571, "invalid URL", absent: "`validate-config` rejects the file"),
        Self(572, "invalid format", absent: "as 562"), Self(573, "invalid data", absent: "as 561"),
        Self(574, "invalid data", absent: "as 561"),
    ]

    /// Every row, ordered by number.
    package static let table: [Self] = {
        let requests = PushOutcome.allCases.flatMap { outcome in
            PushOperation.Kind.allCases.compactMap { of($0, outcome) }
        }
        var rows: [Self] = []
        for row in told + requests + absent where !rows.contains(row) { rows.append(row) }
        return rows.sorted { ($0.number, $0.android ?? 0) < ($1.number, $1.android ?? 0) }
    }()

    private var number: Int { ios ?? android ?? 0 }

    /// The rows as a Markdown table.
    package static var markdown: String {
        let head = "| iOS | Android | means | event | when, or why not |\n|---|---|---|---|---|\n"
        return head
            + table.map { row in
                let numbers = [row.ios, row.android].map { $0.map { "\($0)" } ?? "" }
                let name = row.name.map { "`\($0)`" } ?? "-"
                return "| \(numbers[0]) | \(numbers[1]) | \(row.meaning) | \(name) | \(row.remark) |\n"
            }.joined()
    }
}

extension PushOutcome {
    fileprivate var firstNumber: Int {
        switch self {
        case .done: 230
        case .failed: 430
        case .held: 520
        case .triedAgain: 530
        }
    }

    fileprivate var words: (meaning: String, remark: String) {
        switch self {
        case .done: ("done", "the platform has accepted the request")
        case .failed: ("failed for good", "the platform has rejected the request, or the retries have ended")
        case .held: ("no data, retried", "the request is due, and the token or the user is missing")
        case .triedAgain: ("failed, retried", "the request is retried")
        }
    }
}
