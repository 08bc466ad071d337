/** The person's scrolling and typing take precedence over drawing what was just read. */
export function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
