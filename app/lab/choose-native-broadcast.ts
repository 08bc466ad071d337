import { enforceOptions } from 'broadcast-channel'

/**
 * Connects a device's tabs by the BroadcastChannel that Node shares with browsers. By default RxDB
 * uses files and sockets in Node, which cost more than the rest of a message.
 */
export function chooseNativeBroadcast(): void {
  enforceOptions({ type: 'native' })
}
