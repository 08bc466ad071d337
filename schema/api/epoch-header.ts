/**
 * Says on every answer of `/sync/<database>` in which epoch of the installation its sequence numbers count, and on a
 * device's request which epoch it knows. Another one than before: what was counted is gone, so begin again.
 */
export const epochHeader = 'x-petrel-epoch'
