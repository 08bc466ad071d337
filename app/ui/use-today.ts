import { useEffect, useState } from 'react'
import { startOfDay } from './format-day.ts'

/** The start of today in epoch ms; draws again at midnight and when the page comes back. */
export function useToday(): number {
  const [today, setToday] = useState(() => startOfDay(Date.now()))
  useEffect(() => {
    const check = () => setToday(startOfDay(Date.now()))
    const untilMidnight = today + 24.5 * 3_600_000 - Date.now()
    const timer = setTimeout(check, Math.max(untilMidnight, 60_000))
    document.addEventListener('visibilitychange', check)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', check)
    }
  }, [today])
  return today
}
