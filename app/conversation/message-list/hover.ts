/** The list has come to rest when it has not moved for so long. */
const restMs = 120

/**
 * Tells what the pointer rests on. While the list moves beneath it nobody points at anything: what passes by
 * is not told, which would draw it anew with every turn of the wheel.
 */
export function createHover(onHover: (messageId: string | undefined) => void) {
  let pointed: string | undefined
  let movedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  function tell() {
    clearTimeout(timer)
    timer = undefined
    const leftMs = movedAt + restMs - performance.now()
    if (leftMs > 0) timer = setTimeout(tell, leftMs)
    else onHover(pointed)
  }

  return {
    point(messageId: string | undefined) {
      pointed = messageId
      if (timer === undefined) tell()
    },
    listMoved() {
      movedAt = performance.now()
    },
    end() {
      clearTimeout(timer)
    },
  }
}
