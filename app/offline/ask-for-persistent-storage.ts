/**
 * Asks the browser never to evict this device's messages when the disk is full.
 * @returns whether it promised; false also if the browser has no such API
 */
export async function askForPersistentStorage(): Promise<boolean> {
  const { storage } = navigator
  if (!storage?.persist) return false
  return (await storage.persisted()) || storage.persist()
}
