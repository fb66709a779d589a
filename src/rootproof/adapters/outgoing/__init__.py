"""What is sent out: reports to webhooks, never to addresses that the settings do not allow."""
