import Foundation
import Support

extension RunningRunner {
    /// A services file with these rules and no others.
    static func rules(_ rules: String) -> String {
        SecurityTests.file("{ baseline: false, rules: { \(rules) } }")
    }

    /// What the rules have come to, by their names.
    func securityReport() async throws -> [String: [String: Any]] {
        let answer = try await ask("GET", "/v1/security")
        let report = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let rules = (report?["rules"] as? [[String: Any]] ?? []).map { ($0["id"] as? String ?? "", $0) }
        return Dictionary(rules, uniquingKeysWith: { first, _ in first })
    }

    /// What a rule has found; nil where it has found nothing.
    func evidence(of rule: String) async throws -> String? {
        let found = try await securityReport()[rule]
        guard found?["result"] as? String == "detected" else { return nil }
        return (found?["evidence"] as? [String])?.joined(separator: "; ")
    }

    /// Waits until a rule has found what these words say.
    func detects(_ rule: String, _ words: String) async throws -> Bool {
        try await eventually { try await self.evidence(of: rule)?.contains(words) == true }
    }

    /// Waits until a rule finds nothing, or nothing more.
    func isClear(of rule: String) async throws -> Bool {
        try await eventually { try await self.securityReport()[rule]?["result"] as? String == "clear" }
    }

    /// Waits until what all rules have come to is as it should be.
    func results(_ isSo: @escaping ([String]) -> Bool) async throws -> Bool {
        try await eventually {
            isSo(try await self.securityReport().values.map { $0["result"] as? String ?? "" })
        }
    }
}
