@_exported public import WireAddons
@_exported public import WireAuth
@_exported public import WireBackends
@_exported public import WireBackground
@_exported public import WireBase
@_exported public import WireConfig
@_exported public import WireContent
@_exported public import WireDevice
@_exported public import WireDialects
@_exported public import WireFormatting
@_exported public import WireLocalAPI
@_exported public import WireMetrics
@_exported public import WireNetwork
@_exported public import WireNotifications
@_exported public import WirePersistence
@_exported public import WirePush
@_exported public import WireSecurity
@_exported public import WireSync

/// The settings of one environment, section by section; a section the file does not have is a service not asked for.
public struct Services: Sendable {
    package let configuration: Configuration

    /// The name of the environment; nil for a file that declares none.
    public var environment: String? { configuration.facts.name }
    /// What the product is called.
    public var app: AppSection? { configuration[AppSection.self] }
    /// Sign-in and tokens.
    public var auth: AuthSection? { configuration[AuthSection.self] }
    /// Requests to the base URL.
    public var network: NetworkSection? { configuration[NetworkSection.self] }
    /// Stored state.
    public var persistence: PersistenceSection? { configuration[PersistenceSection.self] }
    /// Push registrations.
    public var push: PushSection? { configuration[PushSection.self] }
    /// What is done with notifications.
    public var notifications: NotificationsSection? { configuration[NotificationsSection.self] }
    /// GraphQL.
    public var sync: SyncSection? { configuration[SyncSection.self] }
    /// Work in the background.
    public var background: BackgroundSection? { configuration[BackgroundSection.self] }
    /// The device.
    public var device: DeviceSection? { configuration[DeviceSection.self] }
    /// Content modules.
    public var content: ContentSection? { configuration[ContentSection.self] }
    /// Security rules.
    public var security: SecuritySection? { configuration[SecuritySection.self] }
    /// Add-ons.
    public var addons: AddonsSection? { configuration[AddonsSection.self] }
    /// How values are shown.
    public var formatting: FormattingSection? { configuration[FormattingSection.self] }
    /// Metrics.
    public var metrics: MetricsSection? { configuration[MetricsSection.self] }
    /// The local API.
    public var api: LocalAPISection? { configuration[LocalAPISection.self] }
    /// The embedded counterparts.
    public var backends: BackendsSection? { configuration[BackendsSection.self] }
    /// What an AeroGear file says that no service reads.
    public var aeroGear: AeroGearSection? { configuration[AeroGearSection.self] }
}
