import { enforceOptions } from 'broadcast-channel'

/**
 * Lets the tabs of a device talk over the BroadcastChannel that Node shares with browsers. Left alone, RxDB
 * talks in Node over files and sockets, which costs more than all the rest of a message.
 */
export function chooseNativeBroadcast(): void {
  enforceOptions({ type: 'native' })
}
