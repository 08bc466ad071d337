/** HH:mm, in the device's time zone. `time`: epoch ms. */
export function formatClockTime(time: number): string {
  const date = new Date(time)
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`
}

/** dd/MM/yyyy, in the device's time zone. `time`: epoch ms. */
export function formatDate(time: number): string {
  const date = new Date(time)
  return `${pad(date.getDate())}/${pad(date.getMonth() + 1)}/${date.getFullYear()}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
