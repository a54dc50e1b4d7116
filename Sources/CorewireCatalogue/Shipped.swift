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

/// The one list of what ships: the sections this build knows, and the formats and dialects it reads them in.
package enum Shipped {
    /// A service is part of corewire when its section stands here.
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

    /// What runs for them; a section that nothing stands here for is read and judged, and inert when the rest runs.
    ///
    /// The embedded servers themselves are for development, and not part of every program.
    package static let services = services(embedded: MissingServers.self)

    /// The services of a program that has these embedded servers.
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

    /// What the local API can be asked for, whichever of the services run.
    package static var api: APIDescription {
        APIDescription(services.flatMap { $0.operations }, events: AllEvents.described)
    }

    /// What add-ons and the runner say to each other.
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
    /// YAML 1.2 as services files use it.
    package static let yaml = FileFormat("yaml", extensions: ["yaml", "yml"], read: YAMLReader.read)
}
