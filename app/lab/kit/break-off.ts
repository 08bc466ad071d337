/**
 * The same answer, whose body fails as soon as the signal aborts. Node forgets the signal of a
 * request that nothing holds any more, and its body would then wait for ever.
 * @param onOver called when nothing more comes
 */
export function breakOff(
  response: Response,
  signal: AbortSignal,
  onOver: () => void = () => {},
): Response {
  const reader = response.body?.getReader()
  if (!reader) {
    onOver()
    return response
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const stop = () => {
        controller.error(signal.reason)
        reader.cancel(signal.reason).catch(() => undefined)
      }
      const over = () => {
        signal.removeEventListener('abort', stop)
        onOver()
      }
      reader.closed.then(over, over)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (signal.aborted) return
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}
