import WireBase
package import WireConfig
import WireNetworkContract
import WireService

extension NetworkSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(.serverRequests)
        checks.offer(.connectivity)
        checkTimes(&checks)
        checkPins(&checks)
        checkCertificates(&checks)
        checkPlainHosts(&checks)
        for origin in tokenOrigins { checks.offer(Provision(.tokenHost, "\(origin)")) }
        checkPlainBase(&checks)
        checkProxy(&checks)
    }

    /// The origins of `tokenHosts`.
    var tokenOrigins: Set<Origin> { Set(tokenHosts.flatMap { $0.origins(amongPlain: plainHosts) }) }

    /// A user name and a password need a proxy in the file, and each other.
    private func checkProxy(_ checks: inout Checks) {
        // Presence counts, even for an unresolved secret.
        if $proxyPassword.state != .absent, $proxyUser.state == .absent {
            checks.report(
                .proxyLogin,
                at: $proxyUser,
                "network.proxyUser is missing, which network.proxyPassword requires"
            )
        }
        if $proxyUser.state != .absent, $proxy.state != .uncertain, proxy?.url == nil {
            checks.report(
                .proxyLogin,
                at: $proxyUser,
                "network.proxyUser is set, but network.proxy is not",
                help: "a proxy of the environment has its own user: https_proxy=http://user:password@host:port"
            )
        }
    }

    private func checkTimes(_ checks: inout Checks) {
        let areKnown = backoff.$first.state != .uncertain && backoff.$max.state != .uncertain
        if areKnown, backoff.first > backoff.max {
            let place = backoff.$first.isWritten ? backoff.$first : backoff.$max
            checks.report(
                .backoffOrder,
                at: place,
                "network.backoff: 'first' (\(backoff.first.literal.plainText)) is longer than 'max' (\(backoff.max.literal.plainText))",
                related: backoff.$first.isWritten && backoff.$max.isWritten ? (backoff.$max, "the longest") : nil
            )
        }
        // The default is limited by 'timeout'.
        if $connectTimeout.isWritten, $timeout.state != .uncertain, connectTimeout > timeout {
            checks.report(
                .connectTimeout,
                at: $connectTimeout,
                "network.connectTimeout (\(connectTimeout.literal.plainText)) is longer than network.timeout (\(timeout.literal.plainText))",
                help: "the request times out first; shorten connectTimeout",
                related: $timeout.isWritten ? ($timeout, "the whole request") : nil
            )
        }
    }

    // MARK: Pins and hosts

    private func checkPins(_ checks: inout Checks) {
        var known: [String: [Pin]] = [:]
        for pin in pins {
            if let earlier = known[pin.host.description]?.first(where: { $0.sha256 == pin.sha256 }) {
                checks.report(
                    .duplicatePin,
                    at: pin.$sha256,
                    "network.pins has a duplicate pin for \(pin.host.description.quoted)",
                    related: (earlier.$sha256, "the first is here")
                )
            }
            known[pin.host.description, default: []].append(pin)
        }
        for pin in pins {
            guard let all = known[pin.host.description], all.count == 1 else { continue }
            checks.report(
                .noBackupPin,
                at: pin.$host,
                "network.pins has only one pin for \(pin.host.description.quoted)",
                label: "no backup when the key changes",
                help: "add the pin of a backup key that is kept offline"
            )
        }
    }

    private func checkCertificates(_ checks: inout Checks) {
        var known: [String: HostCertificate] = [:]
        for certificate in certificates {
            if let earlier = known.updateValue(certificate, forKey: certificate.host.description) {
                checks.report(
                    .duplicateCertificate,
                    at: certificate.$host,
                    "network.certificates has two certificates for \(certificate.host.description.quoted)",
                    help: "keep one",
                    related: (earlier.$host, "the first is here")
                )
            }
        }
    }

    /// Loopback servers may be used without TLS, and then have no key to pin.
    private func checkPlainBase(_ checks: inout Checks) {
        guard let base = checks.environment.baseURL, base.scheme == "http", base.isLoopback,
            let pin = pins.first(where: { $0.host.covers(base.host) })
        else { return }
        checks.report(
            .pinnedPlainHost,
            at: pin.$host,
            "network.pins has \(base.host.quoted), which the base URL uses without TLS",
            help: "without TLS there is no key to compare; remove one of the two",
            related: (checks.environment.baseURLPlace, "the base URL")
        )
    }

    private func checkPlainHosts(_ checks: inout Checks) {
        for host in plainHosts {
            guard !host.isWildcard else {
                checks.report(
                    .plainWildcard,
                    at: $plainHosts,
                    "network.plainHosts: \(host.description.quoted) is not a single host",
                    help: "list each host without TLS"
                )
                continue
            }
            checks.offer(Provision(.plainHost, host.name))
            guard let pin = pins.first(where: { $0.host.covers(host.name) }) else { continue }
            checks.report(
                .pinnedPlainHost,
                at: $plainHosts,
                "network.plainHosts has \(host.name.quoted), which is also pinned",
                help: "without TLS there is no key to compare; remove one of the two",
                related: (pin.$host, "pinned here")
            )
        }
    }
}
