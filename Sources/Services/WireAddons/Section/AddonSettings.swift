import WireAddonContract
import WireBase
import WireConfig

/// The settings of an add-on by value: a difference means another program.
struct AddonSettings: Sendable, Equatable {
    let name: String
    let program: String
    let arguments: [String]
    let isRequired: Bool
    /// The hooks that the file allows.
    let points: AddonPoints
    /// The points at which a missing answer is a refusal, unless it does not answer them.
    let decides: AddonPoints
    let timeout: Duration
    let startTimeout: Duration
    let messageLimit: ByteCount
    let restart: RestartPolicy
    private let variables: [String: String]
    private let secrets: Secret<[String: String]>

    init(_ name: String, _ addon: Addon) {
        self.name = name
        (program, arguments) = (addon.exec.program, addon.exec.arguments.map(\.text))
        isRequired = addon.isRequired
        points = AddonPoints(ofGroups: addon.hooks.map(\.rawValue))
        decides = addon.onSilence == .refuse ? points.intersection(.decidable) : AddonPoints()
        (timeout, startTimeout) = (addon.timeout, addon.startTimeout)
        (messageLimit, restart) = (addon.maxMessageSize, addon.restart)
        variables = Dictionary(addon.env.variables.items.map { ($0.name, $0.value) }) { $1 }
        secrets = Secret(Dictionary(addon.secrets.variables.items.map { ($0.name, $0.value.reveal()) }) { $1 })
    }

    static func == (one: Self, other: Self) -> Bool {
        one.name == other.name && one.program == other.program && one.arguments == other.arguments
            && one.isRequired == other.isRequired && one.points == other.points && one.decides == other.decides
            && one.timeout == other.timeout
            && one.startTimeout == other.startTimeout && one.messageLimit.bytes == other.messageLimit.bytes
            && one.restart == other.restart && one.variables == other.variables
            && one.secrets.reveal() == other.secrets.reveal()
    }

    /// The variables it gets besides those of every program.
    func environment(in name: String?) -> [String: String] {
        var all = variables.merging(secrets.reveal()) { $1 }
        all["COREWIRE_ADDON"] = self.name
        all["COREWIRE_PROTOCOL"] = "\(AddonProtocol.version)"
        all["COREWIRE_ENVIRONMENT"] = name
        return all
    }

    /// Removes the add-on's own secrets from its output.
    func redacting(_ text: String) -> String {
        var text = text
        // Shorter ones would match inside other words.
        for secret in secrets.reveal().values.sorted(by: { $0.utf8.count > $1.utf8.count }) where secret.utf8.count >= 4
        {
            var (shown, rest) = ("", text[...])
            while let found = rest.firstRange(of: secret) {
                shown += rest[..<found.lowerBound] + Secret<String>.redacted
                rest = rest[found.upperBound...]
            }
            text = shown + rest
        }
        return text
    }
}
