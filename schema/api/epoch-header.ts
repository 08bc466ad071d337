/**
 * On every answer of `/sync/<database>`: the epoch in which its sequence numbers count. On a
 * device's request: the epoch that it knows. A different epoch means that old sequence numbers are
 * void: start over.
 */
export const epochHeader = 'x-petrel-epoch'
