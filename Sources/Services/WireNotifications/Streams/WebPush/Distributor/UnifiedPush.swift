import WireBase
import WireMessageBus

/// The names of UnifiedPush on the session bus (UnifiedPush Spec, DBUS).
package enum UnifiedPush {
    /// The namespace of the distributors' names.
    static let distributors = "org.unifiedpush.Distributor"
    static let distributorPath = "/org/unifiedpush/Distributor"
    static let connectorPath = "/org/unifiedpush/Connector"
    static let introspectable = "org.freedesktop.DBus.Introspectable"

    /// A version of the interfaces.
    ///
    /// The first one has neither keys of senders nor replies to messages.
    package enum Version: Int, Sendable {
        case first = 1
        case second = 2

        var distributor: String { "org.unifiedpush.Distributor\(rawValue)" }
        var connector: String { "org.unifiedpush.Connector\(rawValue)" }

        /// The version to use with a distributor that describes itself so.
        init(describedBy introspection: String) {
            func has(_ version: Version) -> Bool { introspection.contains(version.distributor) }
            self = has(.first) && !has(.second) ? .first : .second
        }
    }

    /// The description of the connector, for `Introspect`.
    static let description = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <interface name="org.unifiedpush.Connector2">
            <method name="Message"><arg type="a{sv}" direction="in"/><arg type="a{sv}" direction="out"/></method>
            <method name="NewEndpoint"><arg type="a{sv}" direction="in"/><arg type="a{sv}" direction="out"/></method>
            <method name="Unregistered"><arg type="a{sv}" direction="in"/><arg type="a{sv}" direction="out"/></method>
          </interface>
          <interface name="org.unifiedpush.Connector1">
            <method name="Message">
              <arg type="s" direction="in"/><arg type="ay" direction="in"/><arg type="s" direction="in"/>
            </method>
            <method name="NewEndpoint"><arg type="s" direction="in"/><arg type="s" direction="in"/></method>
            <method name="Unregistered"><arg type="s" direction="in"/></method>
          </interface>
          <interface name="org.freedesktop.DBus.Introspectable">
            <method name="Introspect"><arg type="s" direction="out"/></method>
          </interface>
        </node>

        """
}

/// Why a call of another program is answered with an error.
package struct ConnectorRefusal: Error, Sendable, Equatable {
    enum Kind: String, Sendable {
        case accessDenied = "AccessDenied"
        case failed = "Failed"
        case invalidArguments = "InvalidArgs"
        case unknownMethod = "UnknownMethod"
    }

    let kind: Kind
    let text: String

    init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

    var answer: BusIncomingCall.Answer { .error(name: "org.freedesktop.DBus.Error.\(kind.rawValue)", text: text) }
}
