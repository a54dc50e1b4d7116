import WireAddons
import WireAuth
import WireBackends
import WireBackground
import WireBase
package import WireConfig
import WireContent
import WireDevice
import WireDialects
import WireFormatting
package import WireHTTP
import WireLocalAPI
import WireMetrics
import WireNetwork
import WireNotifications
import WirePersistence
import WirePush
import WireRunnerContract
import WireSecurity
package import WireService
import WireSync
import WireYAML

/// A library that the program has loaded.
package struct LibraryVersion: Sendable {
    package let name, version: String

    package init(_ name: String, _ version: String) { (self.name, self.version) = (name, version) }
}

/// The sections, services, formats and dialects of this build.
package enum Shipped {
    /// The libraries that reading a services file takes.
    package static var libraries: [LibraryVersion] { [LibraryVersion("libyaml", YAMLReader.library)] }

    /// All sections; a service is part of corewire when its section is listed here.
    package static let catalogue = Catalogue([
        AppSection.self,
        AuthSection.self,
        NetworkSection.self,
        PersistenceSection.self,
        PushSection.self,
        NotificationsSection.self,
        SyncSection.self,
        BackgroundSection.self,
        DeviceSection.self,
        ContentSection.self,
        SecuritySection.self,
        AddonsSection.self,
        FormattingSection.self,
        MetricsSection.self,
        LocalAPISection.self,
        BackendsSection.self,
        AeroGearSection.self,
    ])

    /// The services; a section without a service here is validated, and inert at run time.
    ///
    /// Embedded servers are not included, because they are for development only.
    package static let services = services(embedded: MissingServers.self)

    /// The services of a program with the given embedded servers.
    package static func services(embedded: any Service.Type) -> [any Service.Type] {
        common + [embedded]
    }

    private static let common: [any Service.Type] = [
        SecurityService.self,
        LocalAPIService.self,
        AddonsService.self,
        AuthService.self,
        NetworkService.self,
        PersistenceService.self,
        BackgroundService.self,
        NotificationsService.self,
        DeviceService.self,
        ContentService.self,
        FormattingService.self,
        PushService.self,
        SyncService.self,
        MetricsService.self,
    ]

    /// The description of the local API with the operations of all services.
    package static var api: APIDescription {
        APIDescription(services.flatMap { $0.operations }, events: AllEvents.described)
    }

    /// The protocol between add-ons and the runner.
    package static var addonProtocol: JSONValue { AddonSchema.value }

    /// Reads services files from disk.
    package static let loader = Loader(
        formats: [.yaml, .json],
        dialects: [.aeroGear(in: catalogue)],
        readFile: { path, limit, isInclude throws(Fault) in
            try Files.read(path, upTo: limit, onlyRegular: isInclude)
        }
    )
}

extension FileFormat {
    /// YAML 1.2 as used in services files.
    package static let yaml = FileFormat("yaml", extensions: ["yaml", "yml"], read: YAMLReader.read)
}
