import CorewireCatalogue
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireSecrets
import WireService
import WireTransfer

/// Checks whether a server responds and is trusted.
struct ServerQuestion: Sendable {
    let server: OnlineQuestions.Server
    let means: OnlineMeans
    let budget: QuestionBudget
    let options: TransferOptions

    /// The minimum remaining lifetime of a certificate.
    private static let fewestDays: Int64 = 30

    func ask() async -> [Diagnostic] {
        guard !budget.isOver else {
            return server.uses.map { $0.problem(.noTimeToAsk, "the server was not checked before the total timeout") }
        }
        async let look = certificate()
        let failure = await failure()
        let certificate = await look
        return server.uses.flatMap { use in
            if let failure {
                let isTrust = failure.kind == .tls || failure.kind == .pin
                return [
                    use.problem(
                        isTrust ? .untrustedCertificate : .unreachableServer,
                        failure.reason,
                        help: isTrust ? certificate.flatMap { help($0.facts, names: $0.served.names, failure) } : nil
                    )
                ]
            }
            return ending(certificate?.facts, use) + pinned(certificate?.facts, use)
        }
    }

    /// Why no connection is possible; any response counts as success.
    private func failure() async -> TransferFailure? {
        do throws(TransferFailure) {
            _ = try await means.client.send(OutgoingRequest(.head, server.origin + "/"))
            return nil
        } catch {
            return error
        }
    }

    private func certificate() async -> (served: ServedCertificate, facts: Certificate)? {
        guard let served = try? await ServedCertificate.of(server.origin, within: budget.next, options),
            let facts = try? Certificate(pem: served.text)
        else { return nil }
        return (served, facts)
    }

    // MARK: Messages

    private var now: Int64 { means.clock.wall() / 1_000 }

    private func help(_ certificate: Certificate, names: [String], _ failure: TransferFailure) -> String? {
        if certificate.validUntil < now { return "the certificate expired on \(Self.day(certificate.validUntil))" }
        if certificate.validFrom > now {
            return "the certificate is valid from \(Self.day(certificate.validFrom)); the clock shows \(Self.day(now))"
        }
        if failure.reason.contains("host name") {
            return names.isEmpty
                ? "the certificate has no host name"
                : "the certificate is for \(names.prefix(5).map { $0.shown(upTo: 80) }.listed("and"))"
        }
        let isUnknown = ["self-signed", "issuer certificate"].contains { failure.reason.contains($0) }
        return isUnknown ? "set your certificate authorities with CURL_CA_BUNDLE or SSL_CERT_FILE" : nil
    }

    private func ending(_ certificate: Certificate?, _ use: OnlineQuestions.Use) -> [Diagnostic] {
        guard let certificate else { return [] }
        let days = (certificate.validUntil - now) / 86_400
        guard days < Self.fewestDays else { return [] }
        let time = days < 1 ? "within a day" : days == 1 ? "in 1 day" : "in \(days) days"
        return [
            use.problem(
                .endingCertificate,
                "the certificate of \(server.origin) expires on \(Self.day(certificate.validUntil)), \(time)"
            )
        ]
    }

    private func pinned(_ certificate: Certificate?, _ use: OnlineQuestions.Use) -> [Diagnostic] {
        guard !use.pins.isEmpty else { return [] }
        guard let certificate else {
            return [use.problem(.unreachableServer, "the certificate of \(server.origin) could not be read")]
        }
        guard !use.pins.contains(where: { $0.hash == certificate.pin }) else { return [] }
        let count = use.pins.count == 1 ? "the pin does not match" : "none of the \(use.pins.count) pins matches"
        return [
            use.pinProblem(
                .unpinnedKey,
                "\(count) the key of \(server.origin)",
                help: "the current key is \(certificate.pin); verify the key before you pin it"
            )
        ]
    }

    private static func day(_ seconds: Int64) -> String {
        String("\(Timestamp(milliseconds: seconds * 1_000))".prefix(10))
    }
}
