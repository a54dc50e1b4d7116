// Re-exported, because commands that load a file read settings of services, and import no service themselves.

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
