/**
 * Asks the browser never to clear this device's messages when its disk runs short.
 * @returns whether it promised; false too where it cannot be asked
 */
export async function askForPersistentStorage(): Promise<boolean> {
  const { storage } = navigator
  if (!storage?.persist) return false
  return (await storage.persisted()) || storage.persist()
}
