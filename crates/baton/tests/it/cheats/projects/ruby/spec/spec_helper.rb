require_relative "../lib/shop"
