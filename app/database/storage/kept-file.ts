/** A file on this device, by the message that it belongs to. */
export interface KeptFile {
  /** `filePrefix` and the message's id. */
  id: string
  file: Blob
  /** When it came onto this device, epoch ms. */
  at: number
}

export const filePrefix = 'file|'
export const addressPrefix = 'address|'
