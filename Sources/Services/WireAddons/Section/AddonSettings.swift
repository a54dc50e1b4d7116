import WireAddonContract
import WireBase
import WireConfig

/// An add-on as the file wants it, by value: what differs is another program.
struct AddonSettings: Sendable, Equatable {
    let name: String
    let program: String
    let arguments: [String]
    let isRequired: Bool
    /// What the file lets it take part in.
    let points: AddonPoints
    /// What is refused where it does not answer, as far as it has not said that it does not decide.
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

    /// What it gets besides what every program needs.
    func environment(in name: String?) -> [String: String] {
        var all = variables.merging(secrets.reveal()) { $1 }
        all["COREWIRE_ADDON"] = self.name
        all["COREWIRE_PROTOCOL"] = "\(AddonProtocol.version)"
        all["COREWIRE_ENVIRONMENT"] = name
        return all
    }

    /// Takes the secrets that only it was given out of what it has said.
    func redacting(_ text: String) -> String {
        var text = text
        // Shorter ones would be found in every other word.
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
