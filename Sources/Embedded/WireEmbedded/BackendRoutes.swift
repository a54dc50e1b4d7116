import WireAuthContract
import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry

/// The operations of the local API for the embedded servers.
struct BackendRoutes: RouteGroup {
    /// The parts that exist where the environment has embedded servers.
    struct Present: Sendable {
        let issuer: Issuer
        let push: EmbeddedPushServers
        let metrics: ReceivedMetrics
        let versions: AppVersionRegistry
        let base: String
        /// The address of each server, by its name.
        let addresses: [(name: String, address: String)]
    }

    let present: @Sendable () -> Present?
    let faultInjector: FaultInjector
    let storedFaults: StoredFaults
    let host: ServiceHost

    static let table: [RouteEntry<BackendRoutes>] = [
        .call(BackendCalls.servers, atOnce: BackendRoutes.servers),
        .call(BackendCalls.issuer, by: BackendRoutes.issuer).inline,
        .call(BackendCalls.rotate) { $0.rotate },
        .call(BackendCalls.faults, atOnce: BackendRoutes.faults),
        .call(BackendCalls.fault) { $0.begin },
        .call(BackendCalls.endFaults) { routes in { _ throws(BackendFailure) in try await routes.end(nil) } },
        .call(BackendCalls.endFault) { routes in { fault throws(BackendFailure) in try await routes.end(fault.id) } },
        .call(BackendCalls.push) { $0.push },
        .init(BackendCalls.sendPush) { .work($0.sendPush) },
        .call(BackendCalls.metrics) { $0.metrics },
        .call(BackendCalls.versions) { $0.versions },
        .call(BackendCalls.say) { $0.say },
    ]

    func known() throws(BackendFailure) -> Present {
        if let present = present() { return present }
        throw BackendFailure(.notEmbedded, "set 'backend: embedded' in the environment to run them")
    }

    /// Runs work whose errors are written to the log only.
    private func doing<Done>(_ work: () async throws -> Done) async throws(BackendFailure) -> Done {
        do {
            return try await work()
        } catch let failure as BackendFailure {
            throw failure
        } catch {
            if !Task.isCancelled {
                host.log.error("a request about the embedded servers failed", ["reason": .text("\(error)")])
            }
            throw BackendFailure(.unexpected, "see the log of the runner")
        }
    }

    // MARK: Reading

    private func servers(_: APIRequest<NoInput>) throws(BackendFailure) -> APIReply<BackendServers> {
        let present = try known()
        let servers = present.addresses.map { BackendServer($0.name, at: $0.address) }
        return APIReply(BackendServers(at: present.base, servers, faultInjector.faults))
    }

    private func issuer(_: APIRequest<NoInput>) async throws(BackendFailure) -> APIReply<BackendIssuer> {
        APIReply(await shown(try known().issuer))
    }

    private func rotate(_: NoInput) async throws(BackendFailure) -> BackendIssuer {
        let issuer = try known().issuer
        try await doing { try await issuer.rotateKeys(always: true) }
        return await shown(issuer)
    }

    private func shown(_ issuer: Issuer) async -> BackendIssuer {
        let present = issuer.present
        let keys = (try? await present.keys.known(present.records))?.members ?? []
        let users = present.settings.users.map(\.name)
        return BackendIssuer(at: present.address, realms: issuer.realms, users: users, keys: keys.map(\.id))
    }

    private func push(_: NoInput) async throws(BackendFailure) -> BackendPush {
        let present = try known()
        let address = present.addresses.first { $0.name == "push" }?.address ?? present.base
        return try await doing {
            try await PushOverview(servers: present.push, address: address, base: present.base).shown()
        }
    }

    // MARK: Faults

    private func faults(_: APIRequest<NoInput>) throws(BackendFailure) -> APIReply<BackendFaults> {
        _ = try known()
        return APIReply(BackendFaults(faultInjector.faults))
    }

    /// Starts a fault; faults are stored before they start and deleted from the store before they end, so a failed
    /// request can be repeated.
    private func begin(_ order: BackendFaultOrder) async throws(BackendFailure) -> BackendFault {
        _ = try known()
        let fault = try await doing {
            try await storedFaults.turns.alone {
                guard let fault = faultInjector.fault(order) else {
                    let reason =
                        "found \(FaultInjector.limit), expected \(FaultInjector.limit - 1) at most; clear some first"
                    throw BackendFailure(.tooManyFaults, reason)
                }
                if fault.isLasting { try await storedFaults.keep(fault) }
                faultInjector.begin(fault)
                return fault
            }
        }
        let told =
            faultInjector.faults.first { $0.id == fault.id } ?? BackendFault(fault.id, order, met: 0, endsInSeconds: 0)
        host.log.notice(
            "fault started",
            ["id": .text(told.id), "kind": order.kind.map { .text($0.rawValue) }, "on": .text(order.path ?? "/")]
        )
        host.emit(BackendFaultEvents.began, told)
        return told
    }

    private func end(_ id: String?) async throws(BackendFailure) -> BackendFaultsEnded {
        _ = try known()
        let count = try await doing {
            try await storedFaults.turns.alone {
                let stored = try await storedFaults.forget(id)
                return max(faultInjector.end(id), stored)
            }
        }
        if let id, count == 0 { throw BackendFailure(.noSuchFault, "found \(id.quoted)") }
        let ended = BackendFaultsEnded(count)
        if count > 0 {
            host.log.notice("faults ended", ["id": id.map(LogValue.text), "count": .integer(count)])
            host.emit(BackendFaultEndEvents.ended, ended)
        }
        return ended
    }

    // MARK: Metrics and versions

    private func metrics(_ asked: BackendMetricsRequest) async throws(BackendFailure) -> BackendMetrics {
        let metrics = try known().metrics
        return try await doing {
            BackendMetrics(try await metrics.list(after: asked.after ?? 0, limit: asked.limit ?? 100))
        }
    }

    private func versions(_: NoInput) async throws(BackendFailure) -> BackendVersions {
        let versions = try known().versions
        return try await doing {
            let app = try await versions.ownApp()
            return BackendVersions(of: app.appID, try await versions.versions(of: app).map { $0.shown(of: app) })
        }
    }

    private func say(_ order: BackendVersionOrder) async throws(BackendFailure) -> BackendVersion {
        let versions = try known().versions
        let word = KnownVersion.Word(isDisabled: order.isDisabled, message: order.message ?? "")
        let (app, version) = try await doing { try await versions.say(word, of: order.version) }
        let shown = version.shown(of: app)
        host.log.notice(
            "app version changed",
            ["version": .text(shown.version), "disabled": .boolean(shown.isDisabled)]
        )
        host.emit(BackendVersionEvents.version, BackendVersionChange(shown))
        return shown
    }
}
