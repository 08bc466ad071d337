/** The list is at rest after this time without movement. */
const restMs = 120

/**
 * Reports the message under a resting pointer. While the list scrolls beneath it, reports nothing:
 * each report would rerender the list.
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
