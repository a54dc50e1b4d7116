import WireAddonContract
import WireAuthContract
import WireBackendContract
import WireContentContract
import WireDeviceContract
import WireDownloadContract
package import WireHTTP
import WireMetricsContract
import WireNetworkContract
import WireNotificationContract
import WirePushContract
import WireSecurityContract
import WireStateContract
import WireSyncContract
import WireWorkContract

/// All events of the stream `/v1/events`, by area.
package enum AllEvents {
    private static let kinds: [any APIEvent.Type] = [
        RunnerEvents.self, GenerationEvents.self, ServiceEvents.self, AddonEvents.self, AuthEvents.self,
        BackendEvents.self, BackendVersionEvents.self, BackendFaultEvents.self, BackendFaultEndEvents.self,
        ContentEvents.self, DeviceEvents.self, DownloadEvents.self, DownloadNotices.self,
        MetricsEvents.self,
        NetworkEvents.self,
        RequestEvents.self, NotificationEvents.self, ShownEvents.self, OutboxEvents.self, PushEvents.self,
        SecurityEvents.self, StateEvents.self, SyncEvents.self, TaskEvents.self,
    ]

    package static var described: [EventDescription] { kinds.flatMap { $0.described } }
}
