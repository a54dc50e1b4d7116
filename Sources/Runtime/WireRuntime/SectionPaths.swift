import Synchronization
import WireConfig
import WireHTTP
package import WireService

/// Finds the section whose service has a path of the local API, for paths that no running service has.
package final class SectionPaths: Sendable {
    private let services: [any Service.Type]
    /// The sections by the first two segments of their paths, such as `v1/push`; made on first use.
    private let sections = Mutex<[String: String]?>(nil)

    package init(_ services: [any Service.Type]) { self.services = services }

    func section(of target: Target) -> String? {
        let beginning = target.segments.prefix(2).joined(separator: "/")
        return sections.withLock { sections in
            let known = sections ?? Self.sections(of: services)
            sections = known
            return known[beginning]
        }
    }

    private static func sections(of services: [any Service.Type]) -> [String: String] {
        var sections: [String: String] = [:]
        for service in services {
            for operation in service.operations {
                let segments = operation.pattern.split(separator: "/").prefix(2)
                guard segments.count == 2 else { continue }
                let beginning = segments.joined(separator: "/")
                if sections[beginning] == nil { sections[beginning] = name(of: service) }
            }
        }
        return sections
    }

    private static func name<Answering: Service>(of service: Answering.Type) -> String { Answering.Settings.name }
}
