import { useEffect, useState } from 'react'
import { startOfDay, startOfNextDay } from '../format/format-day.ts'

/** The start of today in epoch ms; draws again at midnight and when the page comes back. */
export function useToday(): number {
  const [today, setToday] = useState(() => startOfDay(Date.now()))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    // A timer may come early, or late from a sleep: each check arms the next one.
    const check = () => {
      clearTimeout(timer)
      const now = Date.now()
      setToday(startOfDay(now))
      timer = setTimeout(check, startOfNextDay(now) - now)
    }
    check()
    document.addEventListener('visibilitychange', check)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', check)
    }
  }, [])
  return today
}
