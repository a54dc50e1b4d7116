import Synchronization
import WireBase
import WireConfig
import WireHTTP
package import WireService

/// Finds the section whose service has a path of the local API, for paths that no running service has.
package final class SectionPaths: Sendable {
    /// A section with what to do so that its service runs.
    struct Owner: Sendable {
        let section: String
        let help: String
    }

    private let services: [any Service.Type]
    /// The sections by the first two segments of their paths, such as `v1/push`; made on first use.
    private let sections = Mutex<[String: Owner]?>(nil)

    package init(_ services: [any Service.Type]) { self.services = services }

    func owner(of target: Target) -> Owner? {
        let beginning = target.segments.prefix(2).joined(separator: "/")
        return sections.withLock { sections in
            let known = sections ?? Self.sections(of: services)
            sections = known
            return known[beginning]
        }
    }

    private static func sections(of services: [any Service.Type]) -> [String: Owner] {
        var sections: [String: Owner] = [:]
        for service in services {
            for operation in service.operations {
                let segments = operation.pattern.split(separator: "/").prefix(2)
                guard segments.count == 2 else { continue }
                let beginning = segments.joined(separator: "/")
                if sections[beginning] == nil { sections[beginning] = owner(service) }
            }
        }
        return sections
    }

    private static func owner<Answering: Service>(_ service: Answering.Type) -> Owner {
        let section = Answering.Settings.name
        let isOfEmbedded = Answering.Settings.isImplied(by: .embedded)
        return Owner(
            section: section,
            help: isOfEmbedded
                ? "use an environment with 'backend: embedded'"
                : "add the section \(section.quoted) to the services file"
        )
    }
}
