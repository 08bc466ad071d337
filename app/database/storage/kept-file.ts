/** A file on this device, by its message. */
export interface KeptFile {
  /** `filePrefix` and the message's id. */
  id: string
  file: Blob
  /** When this device stored it, epoch ms. */
  at: number
}

export const filePrefix = 'file|'
export const addressPrefix = 'address|'
