import WireNetworkContract
package import WireService
import WireWorkContract

/// The services that metrics use.
package struct MetricsUses: ServiceUses {
    let outbox: (any Outbox)?
    let schedules: (any Schedules)?
    let securityResults: (any SecurityResults)?

    package init(_ others: inout OtherServices) {
        // The outbox sends messages with them.
        _ = others.find(.serverRequests)
        outbox = others.find(.outbox)
        schedules = others.find(.schedules)
        securityResults = others.find(.securityResults)
    }
}

/// The service's view of its host.
package typealias MetricsHost = UsingHost<MetricsUses>
